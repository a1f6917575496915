// Numbers of Fibonacci up to a limit. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
//~ test: 1\n
//~ test: 5\n
//~ test: 8\n
//~ test: 13\n
//~ test: 100\n
//~ test: 20\n
//~ test: 2\n
//~ test: 3\n
//~ test: 50\n
//~ test: 34\n
#include <stdio.h>

static int read_all(int *a, int most) {
  int n = 0;
  while (n < most && scanf("%d", &a[n]) == 1)
    n++;
  return n;
}

static int fill(int *f, int limit) {
  int n = 2;
  f[0] = 0;
  f[1] = 1;
  while (f[n - 1] + f[n - 2] <= limit && n < 30) {
    f[n] = f[n - 1] + f[n - 2];
    n++;
  }
  return n;
}

int main(void) {
  int a[32];
  read_all(a, 32);
  int f[32];
  int m = fill(f, a[0]);
  for (int i = 0; i < m; i++)
    printf("%d ", f[i]);
  printf("\n");
  return 0;
}
