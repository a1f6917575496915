// Sorting calls back.
//~ SAFE
//~ run: verify
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
static int cmp(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return x < y ? -1 : x > y; }
int main(void) {
  int v[3]; for (int i = 0; i < 3; i++) v[i] = __VERIFIER_nondet_int();
  qsort(v, 3, sizeof v[0], cmp);
  for (int i = 0; i < 2; i++) assert(v[i] <= v[i + 1]);
  int key = v[2];
  int *p = bsearch(&key, v, 3, sizeof v[0], cmp);
  assert(p && *p == key);
  return 0;
}
