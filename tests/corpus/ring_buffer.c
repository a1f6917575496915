// A queue of samples in a circular array.
#include <assert.h>
#include <stdbool.h>

extern int __VERIFIER_nondet_int(void);

#define CAPACITY 4

struct ring {
  int items[CAPACITY];
  unsigned head;
  unsigned count;
  int guard;
};

static void ring_init(struct ring *r) {
  r->head = 0;
  r->count = 0;
  r->guard = 0x5a5a;
}

static bool ring_full(const struct ring *r) {
#ifdef BUG
  return r->count > CAPACITY;
#else
  return r->count == CAPACITY;
#endif
}

static bool ring_put(struct ring *r, int item) {
  if (ring_full(r))
    return false;
  r->items[(r->head + r->count) % CAPACITY] = item;
  r->count++;
  return true;
}

static bool ring_get(struct ring *r, int *item) {
  if (r->count == 0)
    return false;
  *item = r->items[r->head];
  r->head = (r->head + 1) % CAPACITY;
  r->count--;
  return true;
}

int main(void) {
  struct ring r;
  ring_init(&r);
  unsigned expected = 0;
  for (int step = 0; step < 6; step++) {
    int command = __VERIFIER_nondet_int();
    if (command > 0) {
      if (ring_put(&r, command))
        expected++;
    } else {
      int item;
      if (ring_get(&r, &item)) {
        expected--;
        assert(item > 0);
      }
    }
    assert(r.count == expected);
    assert(r.count <= CAPACITY);
    assert(r.guard == 0x5a5a);
  }
  return 0;
}
