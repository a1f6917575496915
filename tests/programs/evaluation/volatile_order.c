//~ run: replay --inputs 1,2,3,4
// Inputs are read in the order of evaluation, the arguments of a call from right to left as gcc does; an input nobody needs is still asked for.
extern int __VERIFIER_nondet_int(void);
static int minus(int a, int b) { return a - b; }
int main(void) {
  int d = minus(__VERIFIER_nondet_int(), __VERIFIER_nondet_int());
  __VERIFIER_nondet_int();
  int e = d * __VERIFIER_nondet_int();
  //@ assert e == 4;
  return 0;
}
