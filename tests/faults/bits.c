// Bits that are set, and the highest one. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
//~ test: 0\n
//~ test: 1\n
//~ test: 2\n
//~ test: 3\n
//~ test: 7\n
//~ test: 8\n
//~ test: 255\n
//~ test: 100\n
//~ test: 1023\n
//~ test: 170\n
#include <stdio.h>

static int read_all(int *a, int most) {
  int n = 0;
  while (n < most && scanf("%d", &a[n]) == 1)
    n++;
  return n;
}

static int count_bits(unsigned x) {
  int count = 0;
  while (x != 0) {
    count += x & 1;
    x = x >> 1;
  }
  return count;
}

static int highest(unsigned x) {
  int at = -1;
  while (x > 0) {
    at++;
    x = x / 2;
  }
  return at;
}

int main(void) {
  int a[32];
  read_all(a, 32);
  printf("%d %d\n", count_bits((unsigned)a[0]), highest((unsigned)a[0]));
  return 0;
}
