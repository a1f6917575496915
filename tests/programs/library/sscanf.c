// Numbers in any text of four characters.
//~ UNSAFE
//~ run: verify
#include <stdio.h>
#include <assert.h>
extern char __VERIFIER_nondet_char(void);
int main(void) {
  char t[5]; for (int i = 0; i < 4; i++) t[i] = __VERIFIER_nondet_char(); t[4] = 0;
  int a, b = -1;
  int n = sscanf(t, "%d:%d", &a, &b);
  assert(n >= -1 && n <= 2);
  if (n == 2) assert(a < 100 && b < 100);
  if (n == 2) assert(!(a == 3 && b == 41));
  return 0;
}
