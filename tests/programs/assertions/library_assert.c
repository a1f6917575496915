//~ run: replay --inputs 2
//~ run: replay --inputs 3
//~ run: replay --quiet --inputs 3 -p unreach-call
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  assert(x % 2 == 0);
  return 0;
}
