// A counter that never passes its limit.
//~ SAFE
//~ run: verify
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int count = 0;
  while (__VERIFIER_nondet_int()) {
    if (count < 10) count++;
  }
  //@ assert count <= 10;
  return 0;
}
