// A comparison the wrong way round: paper 3, figure 2.9. The edit that repairs it is verified for all inputs.
//~ UNSAFE
//~ run: localize
//~ run: localize --method whodunit,iterative
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
int main(void) {
  int x1 = __VERIFIER_nondet_int(), x2 = __VERIFIER_nondet_int(), diff;
  __VERIFIER_assume(x1 >= 0 && x2 >= 0);
  if (x1 < x2)
    diff = x1 - x2;
  else
    diff = x2 - x1;
  //@ assert diff >= 0;
  return 0;
}
