// After longjmp, an automatic variable that changed since setjmp has no value, unless it is volatile; one that did not change has its value.
//~ SAFE
//~ run: verify
//~ run: verify -DVOLATILE
//~ UNSAFE
//~ run: verify -DCHANGED
//~ UNKNOWN!
//~ run: verify -DARRAY
#include <assert.h>
#include <setjmp.h>
static jmp_buf start;
static void back(void) { longjmp(start, 0); }
int main(void) {
#ifdef VOLATILE
  volatile
#endif
  int count = 1;
  int same = 2, unused = 0;
  int values[2] = {3, 4};
  if (setjmp(start) == 0) {
    unused = 5;
#if defined VOLATILE || defined CHANGED
    count = 6;
#endif
#ifdef ARRAY
    values[1] = 6;
#endif
    back();
    assert(0);
  } else {
    unused = 8;
#if defined VOLATILE || defined CHANGED
    assert(count == 6);
#else
    assert(count == 1);
#endif
    assert(same == 2 && values[0] == 3 && unused == 8);
  }
  return 0;
}
