//~ UNKNOWN!
//~ run: verify -p unreach-call -p assertion
//~ UNSAFE the division is checked too unless something else is asked
//~ run: verify
// The assertion holds wherever the program means anything; that is not "true".
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int d = __VERIFIER_nondet_int();
  int q = 100 / d;
  //@ assert q <= 100;
  return 0;
}
