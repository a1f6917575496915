// What happens in a function of a system header was shown at lines of that header: in runs, as the place of a violation, among suspects. The text of
// a header's macro had a column that belongs to nothing.
//~ UNSAFE
//~ run: verify -p valid-deref
//~ run: verify -p valid-deref --all
//~ run: verify
//~ run: explain
//~ run: localize
//~ run: minimize
//~ run: verify -DNULL_POINTER
//~ run: check -DWRONG
#include <assert.h>
#include <stddef.h>
extern int __VERIFIER_nondet_int(void);
# 1 "/usr/include/marked.h" 1 3
static inline int first_of(int *p) { return *p; }
static inline int deep(int *p) { return first_of(p) + 1; }
static inline int pick(int a, int b) {
  if (a > b) return a;
  return b - 1;
}
# 24 "tests/regressions/inside_system_header.c" 2
int main(void) {
  int x = __VERIFIER_nondet_int();
#ifdef NULL_POINTER
  return deep(NULL);
#endif
#ifdef WRONG
  x = 1; x = NULL + 1.5; x = assert(x);
#endif
  int *p = x == 11 ? NULL : &x;
  int m = pick(x, 10);
  assert(x != 12); assert(m > 9);
  return deep(p) > 5;
}
