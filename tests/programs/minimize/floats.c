// Numbers that are not integers are made simple too: whole ones if possible, then small ones, then few digits.
//~ UNSAFE
//~ run: minimize
//~ run: minimize --inputs 97.53,0.123456,1e30,0.1
extern double __VERIFIER_nondet_double(void);
extern float __VERIFIER_nondet_float(void);

int main(void) {
  double whole = __VERIFIER_nondet_double();
  double part = __VERIFIER_nondet_double();
  float large = __VERIFIER_nondet_float();
  double any = __VERIFIER_nondet_double();
  if (whole > 4.5 && part > 0.0 && part < 1.0 && large > 1000.0f) {
    //@ assert any != any;
  }
  return 0;
}
