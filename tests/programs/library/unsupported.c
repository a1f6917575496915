//~ run: check
//~ run: replay --inputs 0
//~ run: replay --inputs 1
//~ run: replay --quiet --entry hex
#include <setjmp.h>
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
static jmp_buf place;
int hex(void) { return printf("%a\n", 1.0); }
int main(void) {
  int a[3] = { 3, 1, 2 };
  if (__VERIFIER_nondet_int())
    return setjmp(place);
  return a[0];
}
