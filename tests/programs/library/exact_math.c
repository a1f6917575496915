// What `math.h` computes exactly, decided symbolically for every input.
//~ SAFE
//~ run: verify
extern void reach_error(void);
extern double __VERIFIER_nondet_double(void);
extern double fmin(double, double), fmax(double, double), fdim(double, double);
extern long lround(double), lrint(double);
#define CHECK(c) if (!(c)) reach_error()
int main(void) {
  double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double();
  CHECK(__builtin_isless(x, y) == (x < y));
  CHECK(__builtin_isgreaterequal(x, y) == (x >= y));
  CHECK(__builtin_islessgreater(x, y) == (x < y || x > y));
  CHECK(__builtin_isunordered(x, y) == (x != x || y != y));
  CHECK(__builtin_fpclassify(10, 20, 30, 40, 50, x) == 10 || x == x);
  CHECK(__builtin_fpclassify(10, 20, 30, 40, 50, 0.0) == 50);
  CHECK(__builtin_fpclassify(10, 20, 30, 40, 50, 1e-310) == 40);
  CHECK(__builtin_isinf_sign(x) == (x == 1.0 / 0.0) - (x == -1.0 / 0.0));
  CHECK(fdim(x, y) >= 0 || x != x || y != y);
  if (x > 0 && y > 0) {
    CHECK(fmin(x, y) == (x < y ? x : y));
    CHECK(fmax(x, y) == (x < y ? y : x));
  }
  CHECK(fmax(x, 0.0 / 0.0) == x || x != x);
  if (x > -1000 && x < 1000) CHECK(lround(x) - x <= 0.5 && lrint(x) - x <= 0.5 && x - lrint(x) <= 0.5);
  CHECK(lround(2.5) == 3 && lrint(2.5) == 2 && lround(-2.5) == -3);
  return 0;
}
