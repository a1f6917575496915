// The words of any text of five characters.
//~ SAFE
//~ run: verify
//~ UNSAFE
//~ run: verify -DMOST=2
#ifndef MOST
#define MOST 3
#endif
#include <string.h>
#include <assert.h>
extern char __VERIFIER_nondet_char(void);
int main(void) {
  char t[6]; for (int i = 0; i < 5; i++) t[i] = __VERIFIER_nondet_char(); t[5] = 0;
  int n = 0;
  for (char *p = strtok(t, ", "); p; p = strtok(0, ", ")) { assert(*p != ',' && *p != ' ' && *p); n++; }
  assert(n <= MOST);
  return 0;
}
