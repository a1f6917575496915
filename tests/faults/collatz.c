// How long a sequence is, and how high it goes. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
//~ test: 1\n
//~ test: 2\n
//~ test: 3\n
//~ test: 7\n
//~ test: 6\n
//~ test: 9\n
//~ test: 12\n
//~ test: 19\n
//~ test: 4\n
//~ test: 25\n
#include <stdio.h>

static int read_all(int *a, int most) {
  int n = 0;
  while (n < most && scanf("%d", &a[n]) == 1)
    n++;
  return n;
}

static int next(int x) {
  if (x % 2 == 0)
    return x / 2;
  return 3 * x + 1;
}

int main(void) {
  int a[32];
  read_all(a, 32);
  int x = a[0];
  int steps = 0;
  int high = x;
  while (x != 1 && steps < 500) {
    x = next(x);
    steps++;
    if (x > high)
      high = x;
  }
  printf("%d %d\n", steps, high);
  return 0;
}
