//~ run: replay --inputs 4
// Annotations in a file that goes through the preprocessor keep their places; macros are not expanded in comments.
#include <stddef.h>
#define LIMIT 3
extern int __VERIFIER_nondet_int(void);
/*@ requires \true; ensures \result >= 0; */
int main(void) {
  int x = __VERIFIER_nondet_int(); /* plain */ int y = LIMIT; // another
  /*@ assert x > 3; */ y += x; //@ assert y == 7;
  //@ loop invariant x >= 0;
  while (x > LIMIT) x--;
      /*@ assert x == 4; */
  return 0;
}
