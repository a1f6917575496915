// An allocator that only moves a pointer forward and aligns it.
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

extern unsigned __VERIFIER_nondet_uint(void);

#define ARENA 32
#define ALIGN 8u

static unsigned char memory[ARENA];
static size_t used;

static void *arena_alloc(size_t n) {
#ifdef BUG
  if (n > ARENA - used)
    return NULL;
  size_t rounded = (n + ALIGN - 1) / ALIGN * ALIGN;
#else
  size_t rounded = (n + ALIGN - 1) / ALIGN * ALIGN;
  if (rounded < n || rounded > ARENA - used)
    return NULL;
#endif
  void *p = memory + used;
  used += rounded;
  return p;
}

static void fill(unsigned char *p, size_t n, unsigned char with) {
  for (size_t i = 0; i < n; i++)
    p[i] = with;
}

int main(void) {
  size_t sizes[3];
  unsigned char *blocks[3];
  used = 4 * (__VERIFIER_nondet_uint() % 2);
  for (int i = 0; i < 3; i++) {
    sizes[i] = __VERIFIER_nondet_uint() % 13;
    blocks[i] = arena_alloc(sizes[i]);
    if (blocks[i])
      fill(blocks[i], sizes[i], (unsigned char)i);
    assert(used <= ARENA);
  }
  for (int i = 0; i < 3; i++)
    if (blocks[i] && sizes[i])
      assert(blocks[i][0] == i && blocks[i][sizes[i] - 1] == i);
  return 0;
}
