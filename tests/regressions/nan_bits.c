// Sign and payload of a NaN that is computed are open; once a wrong `true`.
//~ UNKNOWN!
//~ run: verify
//~ SAFE
//~ run: verify -DCLASS
extern void reach_error(void);
extern float __VERIFIER_nondet_float(void);
union bits { float f; unsigned u; };
int main(void) {
  float zero = __VERIFIER_nondet_float();
  if (zero != 0.0f) return 0;
  union bits b;
  b.f = zero / zero;
#ifdef CLASS
  if ((b.u & 0x7f800000) != 0x7f800000 || b.f == b.f) reach_error();
#else
  if (b.u == 0x7fc00001) reach_error();
#endif
  return 0;
}
