// A cache of a few entries that drops the one used longest ago.
#include <assert.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

#define ENTRIES 2

struct entry {
  int key, value;
};

struct cache {
  struct entry entries[ENTRIES];
  int used;
};

static int compute(int key) { return key ^ 0x55; }

static int cache_get(struct cache *c, int key) {
  for (int i = 0; i < c->used; i++) {
    if (c->entries[i].key == key) {
      struct entry hit = c->entries[i];
      memmove(&c->entries[1], &c->entries[0], (size_t)i * sizeof hit);
      c->entries[0] = hit;
      return hit.value;
    }
  }
  if (c->used < ENTRIES)
    c->used++;
#ifdef BUG
  memmove(&c->entries[1], &c->entries[0], (size_t)c->used * sizeof(struct entry));
#else
  memmove(&c->entries[1], &c->entries[0], (size_t)(c->used - 1) * sizeof(struct entry));
#endif
  c->entries[0] = (struct entry){key, compute(key)};
  return c->entries[0].value;
}

int main(void) {
  struct cache c = {.used = 0};
  for (int i = 0; i < 3; i++) {
    int key = __VERIFIER_nondet_int();
    assert(cache_get(&c, key) == compute(key));
    assert(c.entries[0].key == key);
    assert(c.used <= ENTRIES);
  }
  return 0;
}
