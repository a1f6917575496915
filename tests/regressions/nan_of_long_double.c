// Sign and payload of a `long double` NaN that is computed are open too; once a wrong `true`. The bit before the fraction is set in each.
//~ UNKNOWN!
//~ run: verify
//~ run: verify -DWIDENED
//~ SAFE
//~ run: verify -DCLASS
extern void reach_error(void);
extern long double __VERIFIER_nondet_long_double(void);
union bits {
  long double f;
  unsigned long u[2];
};
int main(void) {
  long double zero = __VERIFIER_nondet_long_double();
  if (zero != 0.0L) return 0;
  union bits b;
#ifdef WIDENED
  double narrow = zero / zero;
  b.f = narrow;
#else
  b.f = zero / zero;
#endif
#ifdef CLASS
  if (b.u[0] >> 62 != 3 || (b.u[1] & 0x7fff) != 0x7fff || b.f == b.f) reach_error();
#else
  if (b.u[0] == 0xc000000000000800) reach_error();
#endif
  return 0;
}
