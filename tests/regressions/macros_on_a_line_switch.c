// Once its witnesses were not confirmed, or had flaws: operations that macros put on one line were taken for others.
//~ UNSAFE
//~ run: verify
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
#define A(x) assert(x)
#define SW(v) switch (v) { case 1: r = 2; break; case 2: r = 3; break; default: r = 4; }
int main(void) {
  int v = __VERIFIER_nondet_int(), r, w; SW(v) w = r; v = __VERIFIER_nondet_int(); SW(v) A(w != 3); A(r != 2);
  return 0;
}
