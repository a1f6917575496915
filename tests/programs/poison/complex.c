//~ run: check
//~ run: replay --inputs 0
//~ run: replay --inputs 1
extern int __VERIFIER_nondet_int(void);
static double f(void) { double _Complex z = 1.0 + 2.0i; return __real__ z; }
static int g(void) { return 3i != 0; }
int main(void) {
  if (__VERIFIER_nondet_int()) return g() + f();
  return 0;
}
