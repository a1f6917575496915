// What is passed for a `float` of an old-style definition is a `double`. The interpreter took its lower half for the value.
//~ gcc
//~ SAFE
//~ run: verify
//~ run: replay
//~ UNKNOWN!
//~ run: verify -DINT_FOR_DOUBLE
//~ run: replay -DINT_FOR_DOUBLE
extern int printf(const char *, ...);
extern void abort(void);
float half();
float third(double);
float fourth(float);
int sum();
#ifdef INT_FOR_DOUBLE
int positive();
#endif
int main(void) {
  float f = 3.0f;
  printf("%g %g %g %g\n", half(f), half(5.0), third(f), fourth(f));
  printf("%d %d\n", sum('a', 300, f), sum(-1, 70000, 2.5f));
#ifdef INT_FOR_DOUBLE
  if (!positive(1)) abort();
#endif
  return half(5.0f) != 2.5f || third(f) != 1.0f || fourth(f) != 0.75f;
}
float half(x) float x; { return x / 2; }
float third(x) float x; {
  float *p = &x;
  *p = *p / 3;
  return x;
}
float fourth(x) float x; { return x / 4; }
int sum(c, s, f) char c; short s; float f; { return c + s + (int)f; }
#ifdef INT_FOR_DOUBLE
int positive(x) double x; { return x > 0; }
#endif
