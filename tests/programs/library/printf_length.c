// How much printf printed: numbers in decimal, with a width.
//~ SAFE
//~ run: verify
//~ UNSAFE
//~ run: verify -DBUG
#include <stdio.h>
#include <assert.h>
extern int nondet_int(void);
int main(void) {
  int n = nondet_int();
  int l = printf("%d%5u", n, 7u);
  char b[40];
  int m = snprintf(b, sizeof b, "%d", n);
#ifdef BUG
  assert(l < 16);
#else
  assert(l == m + 5 && l >= 6 && l <= 16);
#endif
}
