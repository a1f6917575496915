// The text of a number needs more room than there is.
//~ UNSAFE
//~ run: verify -p valid-deref
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  char b[8]; int x = __VERIFIER_nondet_int();
  sprintf(b, "v=%d", x);
  return b[0];
}
