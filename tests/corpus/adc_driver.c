// Reads a converter of twelve bits and scales the value to millivolts.
//~ options: --mmio 0x40012000..0x4001204f:ADC
#include <assert.h>
#include <stdint.h>

#define ADC_STATUS (*(volatile uint32_t *)0x40012000)
#define ADC_CONTROL (*(volatile uint32_t *)0x40012008)
#define ADC_DATA (*(volatile uint32_t *)0x4001204c)
#define DONE 0x2u
#define START 0x40000000u
#define SAMPLES 4

static int32_t sample(void) {
  ADC_CONTROL |= START;
  for (unsigned tries = 0; tries < 3; tries++) {
    if (ADC_STATUS & DONE)
#ifdef BUG
      return (int32_t)(ADC_DATA & 0xffff);
#else
      return (int32_t)(ADC_DATA & 0xfff);
#endif
  }
  return -1;
}

static int32_t average(void) {
  int32_t sum = 0, good = 0;
  for (int i = 0; i < SAMPLES; i++) {
    int32_t value = sample();
    if (value < 0)
      continue;
    sum += value;
    good++;
  }
  return good > 0 ? sum / good : -1;
}

int main(void) {
  int32_t raw = average();
  if (raw < 0)
    return 1;
  int32_t millivolts = raw * 3300 / 4096;
  assert(millivolts >= 0 && millivolts < 3300);
  return 0;
}
