// The integer square root by bisection.
//~ options: -p default -p no-overflow
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int isqrt(int n) {
#ifdef BUG
  int low = 0, high = n + 1;
#else
  int low = 0, high = n < 16 ? n + 1 : 16;
#endif
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (middle * middle <= n)
      low = middle;
    else
      high = middle;
  }
  return low;
}

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n >= 100000)
    return 0;
  int root = isqrt(n);
  assert(root >= 0);
  if (n < 16 * 16)
    assert(root * root <= n && (root + 1) * (root + 1) > n);
  return 0;
}
