//~ run: check
//~ run: replay --inputs 0
//~ run: replay --inputs 1
//~ run: replay --quiet --entry hex
#include <unistd.h>
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
int hex(void) { return printf("%a\n", 1.0); }
int main(void) {
  int a[3] = { 3, 1, 2 };
  if (__VERIFIER_nondet_int())
    return fork();
  return a[0];
}
