// A number as text, cut where there is no more room.
//~ SAFE
//~ run: verify
#include <stdio.h>
#include <string.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  char b[8]; int x = __VERIFIER_nondet_int();
  int n = snprintf(b, sizeof b, "%d", x);
  assert(n >= 1 && n <= 11);
  assert(strlen(b) < 8);
  if (x == -123) assert(!strcmp(b, "-123") && n == 4);
  if (x == 1234567) assert(!strcmp(b, "1234567") && n == 7);
  return 0;
}
