// Well-known bit manipulations against plain loops.
#include <assert.h>
#include <stdint.h>

extern unsigned __VERIFIER_nondet_uint(void);

static uint32_t reverse_fast(uint32_t x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
#ifdef BUG
  x = (x >> 8 & 0x00ff00f0u) | (x & 0x00ff00ffu) << 8;
#else
  x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
#endif
  return x >> 16 | x << 16;
}

static uint32_t reverse_slow(uint32_t x) {
  uint32_t r = 0;
  for (int i = 0; i < 32; i++) {
    r = r << 1 | (x & 1);
    x >>= 1;
  }
  return r;
}

static int count_fast(uint32_t x) {
  x = x - (x >> 1 & 0x55555555u);
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0fu;
  return (int)(x * 0x01010101u >> 24);
}

static int is_power(uint32_t x) { return x && !(x & (x - 1)); }

int main(void) {
  uint32_t x = __VERIFIER_nondet_uint();
  assert(reverse_fast(x) == reverse_slow(x));
  assert(is_power(x) == (count_fast(x) == 1));
  return 0;
}
