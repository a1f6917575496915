// CRC-8 by bits and by a table of nibbles give the same.
#include <assert.h>
#include <stdint.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

#define POLYNOMIAL 0x07

static uint8_t table[16];

static uint8_t shift_bits(uint8_t crc, int bits) {
  for (int i = 0; i < bits; i++) {
    if (crc & 0x80)
      crc = (uint8_t)(crc << 1 ^ POLYNOMIAL);
    else
      crc = (uint8_t)(crc << 1);
  }
  return crc;
}

static void make_table(void) {
  for (int i = 0; i < 16; i++)
    table[i] = shift_bits((uint8_t)(i << 4), 4);
}

static uint8_t crc_table(uint8_t crc, uint8_t byte) {
  crc ^= byte;
#ifdef BUG
  crc = (uint8_t)(crc << 4 ^ table[crc & 15]);
#else
  crc = (uint8_t)(crc << 4 ^ table[crc >> 4]);
#endif
  crc = (uint8_t)(crc << 4 ^ table[crc >> 4]);
  return crc;
}

int main(void) {
  make_table();
  uint8_t slow = 0, fast = 0;
  for (int i = 0; i < 3; i++) {
    uint8_t byte = __VERIFIER_nondet_uchar();
    slow = shift_bits(slow ^ byte, 8);
    fast = crc_table(fast, byte);
    assert(slow == fast);
  }
  // A message with its own CRC behind it has the CRC zero.
  assert(crc_table(fast, fast) == 0);
  return 0;
}
