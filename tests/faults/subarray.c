// The largest sum of neighbours. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
//~ test: 3 1 2\n
//~ test: 5\n
//~ test: 1 2 3 4\n
//~ test: 4 3 2 1\n
//~ test: 7 7 7\n
//~ test: -1 5 -3 2\n
//~ test: 10 0 10 0 1\n
//~ test: 2 9 4 4 6 1\n
//~ test: 100 -100\n
//~ test: 0 0 1 8 8 3\n
#include <stdio.h>

static int read_all(int *a, int most) {
  int n = 0;
  while (n < most && scanf("%d", &a[n]) == 1)
    n++;
  return n;
}

static int best_sum(const int *a, int n) {
  int best = a[0];
  int here = a[0];
  for (int i = 1; i < n; i++) {
    if (here < 0)
      here = 0;
    here += a[i];
    if (here > best)
      best = here;
  }
  return best;
}

int main(void) {
  int a[32];
  int n = read_all(a, 32);
  printf("%d\n", best_sum(a, n));
  return 0;
}
