// The control of a lift: it moves only with closed doors, and stays between the floors.
#include <assert.h>
#include <stdbool.h>

extern _Bool __VERIFIER_nondet_bool(void);
extern int __VERIFIER_nondet_int(void);

#define FLOORS 5

struct lift {
  int floor, target;
  bool door_open, moving;
};

static void request(struct lift *l, int floor) {
#ifdef BUG
  if (floor >= 0 && floor <= FLOORS)
#else
  if (floor >= 0 && floor < FLOORS)
#endif
    l->target = floor;
}

static void step(struct lift *l, bool obstacle) {
  if (l->door_open) {
    if (!obstacle)
      l->door_open = false;
    return;
  }
  if (l->floor < l->target) {
    l->moving = true;
    l->floor++;
  } else if (l->floor > l->target) {
    l->moving = true;
    l->floor--;
  } else if (l->moving) {
    l->moving = false;
    l->door_open = true;
  }
}

int main(void) {
  struct lift l = {0, 0, false, false};
  for (;;) {
    if (__VERIFIER_nondet_bool())
      request(&l, __VERIFIER_nondet_int());
    step(&l, __VERIFIER_nondet_bool());
    assert(!(l.moving && l.door_open));
    assert(l.floor >= 0 && l.floor < FLOORS);
  }
}
