// A jump past an initializer in a later round: the contents of `x` are arbitrary then, and the replay has to be given them.
//~ UNSAFE
//~ run: verify
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int round = 0;
again:
  if (round == 1)
    goto inside;
  {
    int x = 5;
    assert(x == 5);
  inside:
    if (round == 1)
      assert(x != 77);
  }
  round++;
  if (round == 1)
    goto again;
  return 0;
}
