// Sorting by exchanges. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
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

static void sort(int *a, int n) {
  for (int i = 0; i < n - 1; i++) {
    for (int j = 0; j < n - 1 - i; j++) {
      if (a[j] > a[j + 1]) {
        int t = a[j];
        a[j] = a[j + 1];
        a[j + 1] = t;
      }
    }
  }
}

int main(void) {
  int a[32];
  int n = read_all(a, 32);
  sort(a, n);
  for (int i = 0; i < n; i++)
    printf("%d ", a[i]);
  printf("\n");
  return 0;
}
