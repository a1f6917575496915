//~ run: check
//~ run: replay --inputs 0
//~ run: replay --inputs 1
//~ run: replay --quiet --entry hex
#include <stdio.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int hex(void) { return printf("%a\n", 1.0); }
int main(void) {
  int a[3] = { 3, 1, 2 };
  if (__VERIFIER_nondet_int())
    qsort(a, 3, sizeof *a, compare);
  return a[0];
}
