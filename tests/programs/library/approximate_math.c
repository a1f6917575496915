// Functions that libraries compute differently in the last places: a proof holds for all of them.
//~ SAFE
//~ run: verify
//~ run: verify -DRANGE
//~ UNKNOWN!
//~ run: verify -DLAST_PLACE
//~ UNSAFE
//~ run: verify -DWRONG
//~ run: verify -DINPUT
#include <assert.h>
#include <math.h>
extern double __VERIFIER_nondet_double(void);
int main(void) {
  double x = __VERIFIER_nondet_double();
#ifdef RANGE
  if (x >= 0 && x <= 100) {
    assert(sin(x) <= 1 && exp(x) >= 1 && !isinf(exp(x)));
    assert(pow(x, 0) == 1 && sqrt(x) <= 10 && atan(x) < 2);
  }
#elif defined LAST_PLACE
  assert(sin(1.0) == 0.8414709848078965);
#elif defined WRONG
  assert(log(10.0) < 2.3);
#elif defined INPUT
  if (x > 0 && x < 50)
    assert(exp(x) != exp(2.0));
#else
  assert(fabs(sin(1.0) - 0.8414709848) < 1e-9 && fabsf(logf(10.0f) - 2.302585f) < 1e-5f);
  assert(sin(0.0) == 0 && cos(0.0) == 1 && exp(0.0) == 1 && log(1.0) == 0 && isnan(log(-1.0)) && isinf(log(0.0)));
  assert(isnan(sin(INFINITY)) && isnan(acos(2.0)) && atan2(0.0, 1.0) == 0 && hypot(3.0, 0.0) == 3);
#endif
  return 0;
}
