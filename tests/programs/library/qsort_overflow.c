// The order by subtraction overflows; the place is in the user's text.
//~ UNSAFE
//~ run: verify -p no-overflow
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
static int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
  int v[3]; for (int i = 0; i < 3; i++) v[i] = __VERIFIER_nondet_int();
  qsort(v, 3, sizeof v[0], cmp);
  assert(v[0] <= v[1] && v[1] <= v[2]);
  return 0;
}
