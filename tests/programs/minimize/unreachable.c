// An assertion that no run reaches fails on none.
//~ SAFE
//~ run: minimize
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  unsigned x = __VERIFIER_nondet_uint();
  if (x % 4 == 7) {
    //@ assert 0;
  }
  return 0;
}
