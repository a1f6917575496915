// Plain char is signed, as gcc has it on x86, or unsigned, as on ARM. The preprocessor is told, too.
//~ UNSAFE
//~ run: verify
//~ run: replay --quiet
//~ SAFE
//~ run: verify --char-unsigned
//~ run: verify --char-unsigned -DINPUT
//~ run: replay --quiet --char-unsigned
#include <assert.h>
#include <limits.h>
#include <string.h>
extern char __VERIFIER_nondet_char(void);
int main(void) {
#ifdef INPUT
  char x = __VERIFIER_nondet_char();
  int wide = x;
  assert(wide >= 0 && wide <= 255 && (signed char)x == (wide > 127 ? wide - 256 : wide));
  return 0;
#endif
  char c = 200, text[] = "\xe4";
  struct { char field : 4; } s = {15};
  assert(c == 200 && c > 0);
  assert(text[0] == 0xe4 && '\xff' == 255);
  assert(CHAR_MIN == 0 && CHAR_MAX == 255);
  assert((signed char)c == -56 && strcmp("\xe4", "a") > 0);
  assert(s.field == 15);
  return 0;
}
