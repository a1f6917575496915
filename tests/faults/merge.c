// The first half and the second half, each sorted, merged. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
//~ test: 1 3 2 4\n
//~ test: 1 2 3 4\n
//~ test: 3 4 1 2\n
//~ test: 5\n
//~ test: 1 1\n
//~ test: 2 4 6 1 3 5\n
//~ test: 1 5 9 2\n
//~ test: 0 0 0 0\n
//~ test: 7 8 1 9\n
//~ test: 1 9 2 3\n
#include <stdio.h>

static int read_all(int *a, int most) {
  int n = 0;
  while (n < most && scanf("%d", &a[n]) == 1)
    n++;
  return n;
}

static int merge(const int *x, int n, const int *y, int m, int *z) {
  int i = 0, j = 0, k = 0;
  while (i < n && j < m) {
    if (x[i] <= y[j])
      z[k++] = x[i++];
    else
      z[k++] = y[j++];
  }
  while (i < n)
    z[k++] = x[i++];
  while (j < m)
    z[k++] = y[j++];
  return k;
}

int main(void) {
  int a[32];
  int n = read_all(a, 32);
  int z[32];
  int half = n / 2;
  int k = merge(a, half, a + half, n - half, z);
  for (int i = 0; i < k; i++)
    printf("%d ", z[i]);
  printf("\n");
  return 0;
}
