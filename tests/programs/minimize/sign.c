// Of two runs that are equally small, the one without negative inputs is shown.
//~ UNSAFE
//~ run: minimize
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a = __VERIFIER_nondet_int();
  int b = __VERIFIER_nondet_int();
  if (a < -10 || a > 10 || b < -10 || b > 10)
    return 0;
  //@ assert a * a + b * b != 13;
  return 0;
}
