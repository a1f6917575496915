// What kind of triangle three sides make. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
//~ test: 3 4 5\n
//~ test: 2 2 2\n
//~ test: 2 2 3\n
//~ test: 3 2 2\n
//~ test: 2 3 2\n
//~ test: 1 2 3\n
//~ test: 1 1 5\n
//~ test: 5 1 1\n
//~ test: 0 1 1\n
//~ test: 4 6 3\n
#include <stdio.h>

static int read_all(int *a, int most) {
  int n = 0;
  while (n < most && scanf("%d", &a[n]) == 1)
    n++;
  return n;
}

static int is_triangle(int a, int b, int c) {
  return a > 0 && b > 0 && c > 0 && a + b > c && a + c > b && b + c > a;
}

static int kind(int a, int b, int c) {
  if (!is_triangle(a, b, c))
    return 4;
  if (a == b && b == c)
    return 1;
  if (a == b || b == c || a == c)
    return 2;
  return 3;
}

int main(void) {
  int a[32];
  read_all(a, 32);
  printf("%d\n", kind(a[0], a[1], a[2]));
  return 0;
}
