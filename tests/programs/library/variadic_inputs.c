// Variable arguments that are inputs.
//~ SAFE
//~ run: verify
//~ UNSAFE
//~ run: verify -DBUG
#include <assert.h>
#include <stdarg.h>
extern int __VERIFIER_nondet_int(void);
static int largest(int n, ...) {
  va_list list;
  va_start(list, n);
  int found = va_arg(list, int);
  while (--n) {
    int next = va_arg(list, int);
    if (next > found) found = next;
  }
  va_end(list);
  return found;
}
int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
  int (*f)(int, ...) = largest;
  int m = c ? largest(3, a, b, c) : f(2, a, b);
  assert(m >= a && m >= b);
#ifdef BUG
  assert(m != 5);
#endif
  return 0;
}
