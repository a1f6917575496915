// Blocks of one size from a static pool with a free list of indices.
#include <assert.h>
#include <stdbool.h>

extern int __VERIFIER_nondet_int(void);

#define BLOCKS 3
#define NONE (-1)

static struct block {
  int next;
  bool used;
  int payload;
} pool[BLOCKS];
static int first_free;

static void pool_init(void) {
  for (int i = 0; i < BLOCKS; i++)
    pool[i] = (struct block){.next = i + 1 < BLOCKS ? i + 1 : NONE, .used = false, .payload = 0};
  first_free = 0;
}

static struct block *pool_get(void) {
#ifndef BUG
  if (first_free == NONE)
    return 0;
#endif
  struct block *b = &pool[first_free];
  assert(!b->used);
  first_free = b->next;
  b->used = true;
  return b;
}

static void pool_put(struct block *b) {
  assert(b->used);
  b->used = false;
  b->next = first_free;
  first_free = (int)(b - pool);
}

int main(void) {
  struct block *held[4] = {0};
  pool_init();
  for (int step = 0; step < 5; step++) {
    unsigned which = (unsigned)__VERIFIER_nondet_int() % 4;
    if (held[which]) {
      pool_put(held[which]);
      held[which] = 0;
    } else {
      held[which] = pool_get();
    }
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < i; j++)
      assert(!held[i] || held[i] != held[j]);
  return 0;
}
