// Two traffic lights at a crossing, driven by a timer; it runs for ever.
#include <assert.h>
#include <stdint.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

typedef enum { RED, RED_YELLOW, GREEN, YELLOW } light_t;

typedef struct {
  light_t north, east;
  uint8_t timer;
  uint8_t phase;
} crossing_t;

static const uint8_t duration[8] = {2, 1, 9, 2, 2, 1, 9, 2};

static void advance(crossing_t *c) {
  c->phase = (c->phase + 1) & 7;
  c->timer = duration[c->phase];
  switch (c->phase) {
  case 1:
    c->north = RED_YELLOW;
    break;
  case 2:
    c->north = GREEN;
    break;
  case 3:
    c->north = YELLOW;
    break;
  case 4:
#ifndef BUG
    c->north = RED;
#endif
    break;
  case 5:
    c->east = RED_YELLOW;
    break;
  case 6:
    c->east = GREEN;
    break;
  case 7:
    c->east = YELLOW;
    break;
  default:
    c->east = RED;
  }
}

static void tick(crossing_t *c, uint8_t pedestrian) {
  if (pedestrian && c->timer > 3)
    c->timer = 3;
  if (--c->timer == 0)
    advance(c);
}

int main(void) {
  crossing_t c = {RED, RED, 2, 0};
  while (1) {
    tick(&c, __VERIFIER_nondet_uchar() & 1);
    assert(c.north == RED || c.east == RED);
    assert(c.timer > 0 && c.timer <= 9);
  }
}
