// How many primes are below a number, and the last one. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
//~ test: 10\n
//~ test: 2\n
//~ test: 3\n
//~ test: 30\n
//~ test: 50\n
//~ test: 5\n
//~ test: 26\n
//~ test: 100\n
//~ test: 12\n
//~ test: 1\n
#include <stdio.h>

static int read_all(int *a, int most) {
  int n = 0;
  while (n < most && scanf("%d", &a[n]) == 1)
    n++;
  return n;
}

static int is_prime(int x) {
  if (x < 2)
    return 0;
  for (int d = 2; d * d <= x; d++) {
    if (x % d == 0)
      return 0;
  }
  return 1;
}

int main(void) {
  int a[32];
  read_all(a, 32);
  int count = 0;
  int last = 0;
  for (int x = 0; x < a[0]; x++) {
    if (is_prime(x)) {
      count++;
      last = x;
    }
  }
  printf("%d %d\n", count, last);
  return 0;
}
