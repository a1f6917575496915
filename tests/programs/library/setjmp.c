// longjmp ends all functions up to the one that called setjmp.
//~ SAFE
//~ run: verify
//~ run: verify --property valid-memsafety
//~ UNSAFE
//~ run: verify -DWRONG
#include <assert.h>
#include <setjmp.h>
extern int __VERIFIER_nondet_int(void);
static jmp_buf start;
static int calls;
static void deep(int n) {
  calls++;
  if (n > 3)
    longjmp(start, n);
}
static int middle(int n) {
  int before = calls;
  deep(n);
  return before + n;
}
int main(void) {
  int n = __VERIFIER_nondet_int(), result = 7;
  volatile int state = 0;
  switch (setjmp(start)) {
  case 0:
    state = 1;
    result = middle(n);
    assert(n <= 3 && result == n);
    break;
  case 4:
    assert(n == 4);
#ifdef WRONG
    assert(state == 0);
#endif
    // fall through
  default:
    assert(n > 3 && state == 1 && calls == 1);
  }
  return 0;
}
