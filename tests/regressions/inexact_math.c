// Once called violated, with a cosine that is not a number.
//~ SAFE
//~ run: verify
extern double cos(double);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  double c = cos(__VERIFIER_nondet_int());
  //@ assert c <= 1.0;
  return 0;
}
