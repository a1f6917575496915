// A button is read from a port; it counts as pressed after three equal samples.
//~ options: --mmio 0x48000000..0x4800001f:GPIO
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define GPIO_IN (*(volatile uint32_t *)0x48000010)
#define GPIO_OUT (*(volatile uint32_t *)0x48000014)
#define BUTTON (1u << 3)
#define LED (1u << 5)

struct button {
  uint8_t history;
  bool pressed;
};

static bool poll(struct button *b) {
  bool level = (GPIO_IN & BUTTON) != 0;
  b->history = (uint8_t)(b->history << 1 | level);
  uint8_t last = b->history & 7;
  if (last == 7)
    b->pressed = true;
#ifdef BUG
  else if ((last & 1) == 0)
#else
  else if (last == 0)
#endif
    b->pressed = false;
  return b->pressed;
}

int main(void) {
  struct button b = {0, false};
  bool before = false;
  unsigned since = 3;
  for (;;) {
    bool now = poll(&b);
    if (now != before) {
      assert(since >= 3);
      GPIO_OUT = now ? LED : 0;
      since = 0;
    }
    if (since < 100)
      since++;
    before = now;
  }
}
