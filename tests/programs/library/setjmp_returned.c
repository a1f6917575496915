// A jump to a function that has returned is undefined, and so is one to a buffer that was never set.
//~ UNKNOWN!
//~ run: verify --property assertion
//~ UNSAFE
//~ run: verify
//~ run: verify -DNEVER
//~ run: verify --property valid-memsafety
//~ run: verify --property valid-memsafety -DNEVER
#include <setjmp.h>
static jmp_buf start;
static int set(void) { return setjmp(start); }
int main(void) {
#ifndef NEVER
  set();
#endif
  longjmp(start, 1);
}
