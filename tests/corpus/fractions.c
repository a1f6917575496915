// Exact fractions, kept in lowest terms.
#include <assert.h>
#include <stdlib.h>

extern signed char __VERIFIER_nondet_char(void);

struct fraction {
  int num, den;
};

static int gcd(int a, int b) {
  while (b != 0) {
    int r = a % b;
    a = b;
    b = r;
  }
  return abs(a);
}

static struct fraction make(int num, int den) {
#ifndef BUG
  if (den < 0) {
    num = -num;
    den = -den;
  }
#endif
  int g = gcd(num, den);
  return (struct fraction){num / g, den / g};
}

static struct fraction add(struct fraction a, struct fraction b) {
  return make(a.num * b.den + b.num * a.den, a.den * b.den);
}

static int less(struct fraction a, struct fraction b) { return a.num * b.den < b.num * a.den; }

int main(void) {
  int n = __VERIFIER_nondet_char() % 4, d = __VERIFIER_nondet_char() % 4;
  if (d == 0)
    return 0;
  struct fraction f = make(n, d), half = make(1, 2);
  assert(f.den > 0);
  struct fraction sum = add(f, half);
  assert(less(f, sum));
  return 0;
}
