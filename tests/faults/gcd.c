// Greatest common divisor and least common multiple of two numbers. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
//~ test: 12 18\n
//~ test: 7 3\n
//~ test: 10 5\n
//~ test: 9 9\n
//~ test: 1 8\n
//~ test: 100 75\n
//~ test: 14 21\n
//~ test: 6 4\n
//~ test: 17 51\n
//~ test: 8 12\n
#include <stdio.h>

static int read_all(int *a, int most) {
  int n = 0;
  while (n < most && scanf("%d", &a[n]) == 1)
    n++;
  return n;
}

static int gcd(int a, int b) {
  while (b != 0) {
    int rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

int main(void) {
  int a[32];
  read_all(a, 32);
  int divisor = gcd(a[0], a[1]);
  printf("%d %d\n", divisor, a[0] / divisor * a[1]);
  return 0;
}
