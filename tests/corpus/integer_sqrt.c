// The integer square root by bisection.
//~ options: -p default -p no-overflow
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int isqrt(int n) {
  int low = 0, high = 46341;
#ifdef BUG
  high = n < 46341 ? n + 1 : 50000;
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
  if (n < 0 || n > 2147000000)
    return 0;
#ifndef BUG
  if (n > 60000)
    return 0;
#endif
  int root = isqrt(n);
  assert(root >= 0);
  assert(root * root <= n);
  assert((long)(root + 1) * (root + 1) > n);
  return 0;
}
