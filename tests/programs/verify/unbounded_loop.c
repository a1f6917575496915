//~ SAFE
//~ run: verify --unwind 4
// Nothing is wrong, but a bound cannot show it.
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = 0;
  while (__VERIFIER_nondet_int()) x ^= 1;
  //@ assert x == 0 || x == 1;
  return 0;
}
