// Numbers of three characters fit; others set errno.
//~ SAFE
//~ run: verify
#include <stdlib.h>
#include <errno.h>
#include <limits.h>
#include <assert.h>
extern char __VERIFIER_nondet_char(void);
int main(void) {
  char t[4]; for (int i = 0; i < 3; i++) t[i] = __VERIFIER_nondet_char(); t[3] = 0;
  char *end; errno = 0;
  long v = strtol(t, &end, 10);
  assert(errno == 0);
  assert(v >= -99 && v <= 999);
  if (end == t) assert(v == 0);
  v = strtol("99999999999999999999", &end, 10);
  assert(errno == ERANGE && v == LONG_MAX);
  return 0;
}
