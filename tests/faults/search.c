// Binary search in the sorted list 2, 4, ..., 40. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
//~ test: 2\n
//~ test: 40\n
//~ test: 1 3\n
//~ test: 20 22\n
//~ test: 39\n
//~ test: 10 30\n
//~ test: 4 38 6\n
//~ test: 41\n
//~ test: 0\n
//~ test: 14 28 2\n
#include <stdio.h>

static int read_all(int *a, int most) {
  int n = 0;
  while (n < most && scanf("%d", &a[n]) == 1)
    n++;
  return n;
}

static int find(const int *a, int n, int key) {
  int low = 0;
  int high = n - 1;
  while (low <= high) {
    int middle = (low + high) / 2;
    if (a[middle] == key)
      return middle;
    if (a[middle] < key)
      low = middle + 1;
    else
      high = middle - 1;
  }
  return -1;
}

int main(void) {
  int a[32];
  int n = read_all(a, 32);
  int even[20];
  for (int i = 0; i < 20; i++)
    even[i] = 2 * (i + 1);
  for (int i = 0; i < n; i++)
    printf("%d ", find(even, 20, a[i]));
  printf("\n");
  return 0;
}
