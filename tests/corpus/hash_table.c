// A hash table with open addressing and linear probing.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

extern unsigned __VERIFIER_nondet_uint(void);

#define SLOTS 4

enum slot_state { EMPTY, USED };

struct table {
  struct {
    enum slot_state state;
    unsigned key;
    int value;
  } slots[SLOTS];
};

static unsigned hash(unsigned key) { return (key ^ key >> 7) % SLOTS; }

static int find_slot(const struct table *t, unsigned key) {
  unsigned start = hash(key);
  for (unsigned i = 0; i < SLOTS; i++) {
#ifdef BUG
    unsigned at = start + i;
#else
    unsigned at = (start + i) % SLOTS;
#endif
    if (t->slots[at].state == EMPTY || t->slots[at].key == key)
      return (int)at;
  }
  return -1;
}

static int put(struct table *t, unsigned key, int value) {
  int at = find_slot(t, key);
  if (at < 0)
    return 0;
  t->slots[at].state = USED;
  t->slots[at].key = key;
  t->slots[at].value = value;
  return 1;
}

static const int *get(const struct table *t, unsigned key) {
  int at = find_slot(t, key);
  return at < 0 || t->slots[at].state == EMPTY ? NULL : &t->slots[at].value;
}

int main(void) {
  struct table *t = calloc(1, sizeof *t);
  if (!t)
    return 1;
  unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
  if (a == b)
    return free(t), 0;
  assert(put(t, a, 1));
  assert(put(t, b, 2));
  assert(get(t, a) && *get(t, a) == 1);
  assert(get(t, b) && *get(t, b) == 2);
  free(t);
  return 0;
}
