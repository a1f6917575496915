// How many numbers are in each range of ten, up to fifty. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
//~ test: 5 15 25\n
//~ test: 50\n
//~ test: 49 51\n
//~ test: -3 0 9\n
//~ test: 10 20 30 40\n
//~ test: 19 20 21\n
//~ test: 60 60 -60\n
//~ test: 1 2 3 4 5 6\n
//~ test: 33 44 9 10\n
//~ test: 0 50 49 10 9\n
#include <stdio.h>

static int read_all(int *a, int most) {
  int n = 0;
  while (n < most && scanf("%d", &a[n]) == 1)
    n++;
  return n;
}

static int bucket(int x) {
  if (x < 0)
    return 0;
  if (x >= 50)
    return 4;
  return x / 10;
}

int main(void) {
  int a[32];
  int n = read_all(a, 32);
  int counts[5] = {0, 0, 0, 0, 0};
  for (int i = 0; i < n; i++)
    counts[bucket(a[i])] += 1;
  for (int i = 0; i < 5; i++)
    printf("%d ", counts[i]);
  printf("\n");
  return 0;
}
