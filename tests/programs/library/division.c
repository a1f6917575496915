// div and its like; generators that the program keeps the state of; linear search.
//~ SAFE
//~ run: verify
#include <assert.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
static int equal(const void *a, const void *b) { return *(const int *)a != *(const int *)b; }
int main(void) {
  int n = __VERIFIER_nondet_int(), values[4] = {4, 2, 7};
  div_t parts = div(n, 10);
  size_t count = 3;
  unsigned seed = 1;
  assert(parts.quot == n / 10 && parts.rem == n % 10 && lldiv(-7LL, 2).rem == -1);
  assert(rand_r(&seed) == 476707713 && strverscmp("a9", "a10") < 0);
  int *found = lsearch(&n, values, &count, sizeof n, equal);
  assert(*found == n && (count == 4) == (n != 4 && n != 2 && n != 7));
  double part = drand48();
  assert(part >= 0 && part < 1);
  return 0;
}
