// Fletcher's checksum with delayed reduction.
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static uint16_t fletcher(const uint8_t *data, size_t n) {
  uint16_t a = 0, b = 0;
  for (size_t i = 0; i < n; i++) {
    a = (uint16_t)(a + data[i]);
    b = (uint16_t)(b + a);
#ifdef BUG
    if (i % 4 == 3)
      a %= 255;
#else
    a %= 255;
    b %= 255;
#endif
  }
  return (uint16_t)(b << 8 | a);
}

int main(void) {
  uint8_t data[3];
  unsigned sum = 0;
  for (int i = 0; i < 3; i++) {
    data[i] = __VERIFIER_nondet_uchar();
    sum += data[i];
  }
  uint16_t check = fletcher(data, sizeof data);
  assert((check & 0xff) < 255);
  assert((check & 0xff) == sum % 255);
  return 0;
}
