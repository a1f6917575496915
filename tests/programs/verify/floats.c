//~ SAFE
//~ run: verify
extern float __VERIFIER_nondet_float(void);
int main(void) {
  float x = __VERIFIER_nondet_float();
  if (x > 0.0f && x < 16777216.0f) {
    //@ assert x + 1.0f > x;
  }
  return 0;
}
