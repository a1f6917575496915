// Product of two matrices of two rows. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
//~ test: 1 0 0 1 1 2 3 4\n
//~ test: 1 2 3 4 1 0 0 1\n
//~ test: 1 2 3 4 5 6 7 8\n
//~ test: 0 0 0 0 1 1 1 1\n
//~ test: 2 0 0 2 1 2 3 4\n
//~ test: 1 1 1 1 1 1 1 1\n
//~ test: 0 1 1 0 1 2 3 4\n
//~ test: 3 -1 2 5 1 1 0 2\n
//~ test: -1 -2 -3 -4 1 1 1 1\n
//~ test: 1 2 3 4 0 1 1 0\n
#include <stdio.h>

static int read_all(int *a, int most) {
  int n = 0;
  while (n < most && scanf("%d", &a[n]) == 1)
    n++;
  return n;
}

static void multiply(const int *x, const int *y, int *z) {
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      int sum = 0;
      for (int k = 0; k < 2; k++)
        sum += x[i * 2 + k] * y[k * 2 + j];
      z[i * 2 + j] = sum;
    }
  }
}

int main(void) {
  int a[32];
  read_all(a, 32);
  int z[4];
  multiply(a, a + 4, z);
  printf("%d %d %d %d\n", z[0], z[1], z[2], z[3]);
  return 0;
}
