// Numbers with eight bits behind the point: multiplication that saturates.
#include <assert.h>
#include <stdint.h>

extern short __VERIFIER_nondet_short(void);

typedef int16_t q8_8;

#define ONE ((q8_8)256)

static q8_8 saturate(int32_t x) {
  if (x > INT16_MAX)
    return INT16_MAX;
  if (x < INT16_MIN)
    return INT16_MIN;
  return (q8_8)x;
}

static q8_8 q_mul(q8_8 a, q8_8 b) {
  int32_t product = (int32_t)a * b;
#ifdef BUG
  return (q8_8)(product / 256);
#else
  return saturate(product / 256);
#endif
}

static q8_8 q_add(q8_8 a, q8_8 b) { return saturate((int32_t)a + b); }

int main(void) {
  q8_8 a = __VERIFIER_nondet_short(), b = __VERIFIER_nondet_short();
  assert(q_mul(a, ONE) == a);
  if (a > 0 && b > 0) {
    assert(q_add(a, b) >= a);
    if (b >= 16 * ONE)
      assert(q_mul(a, 16 * ONE) >= 0);
  }
  return 0;
}
