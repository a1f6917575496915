// A ring buffer: positive numbers go in, zeros take one out. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
//~ test: 1 2 0 0\n
//~ test: 0\n
//~ test: 1 2 3 4 5\n
//~ test: 1 0 2 0 3 0\n
//~ test: 1 2 3 4 0 5 0 0\n
//~ test: 5 5 0 0 0\n
//~ test: 9\n
//~ test: 1 2 3 0 0 0 0\n
//~ test: 4 0 4 0 4 4 4 4 4\n
//~ test: 1 2 0 3 0 4 0 5 0\n
#include <stdio.h>

static int read_all(int *a, int most) {
  int n = 0;
  while (n < most && scanf("%d", &a[n]) == 1)
    n++;
  return n;
}

static int ring[4];
static int first, count;

static int put(int x) {
  if (count == 4)
    return 0;
  ring[(first + count) % 4] = x;
  count++;
  return 1;
}

static int get(void) {
  if (count == 0)
    return -1;
  int x = ring[first];
  first = (first + 1) % 4;
  count = count - 1;
  return x;
}

int main(void) {
  int a[32];
  int n = read_all(a, 32);
  for (int i = 0; i < n; i++) {
    if (a[i] > 0)
      printf("%d ", put(a[i]));
    else
      printf("[%d] ", get());
  }
  printf("%d\n", count);
  return 0;
}
