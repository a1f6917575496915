// Once called violated: the rounding mode was thought to be an unknown function's business.
//~ UNKNOWN!
//~ run: verify
extern int fesetround(int);
extern float __VERIFIER_nondet_float(void);
int main(void) {
  float f = 1.0f, g = 0x1.8p-24f;
  fesetround(0x400);
  float sum = f + g;
  //@ assert sum == 1.0f;
  return 0;
}
