// Whatever the input is, the assertion fails.
//~ UNSAFE
//~ run: explain
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = x ^ x;
  //@ assert y == 1;
  return 0;
}
