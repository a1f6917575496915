// A set of small numbers as an array of words.
#include <assert.h>
#include <limits.h>
#include <stdbool.h>

extern unsigned __VERIFIER_nondet_uint(void);

#define BITS (CHAR_BIT * sizeof(unsigned))
#define MEMBERS 70
#ifdef BUG
#define WORDS (MEMBERS / BITS)
#else
#define WORDS ((MEMBERS + BITS - 1) / BITS)
#endif

struct bit_set {
  unsigned words[WORDS];
};

static void add(struct bit_set *s, unsigned x) { s->words[x / BITS] |= 1u << x % BITS; }
static void drop(struct bit_set *s, unsigned x) { s->words[x / BITS] &= ~(1u << x % BITS); }
static bool has(const struct bit_set *s, unsigned x) { return s->words[x / BITS] >> x % BITS & 1; }

static unsigned count(const struct bit_set *s) {
  unsigned n = 0;
  for (unsigned i = 0; i < WORDS; i++)
    for (unsigned w = s->words[i]; w; w &= w - 1)
      n++;
  return n;
}

int main(void) {
  struct bit_set s = {{0}};
  unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
  if (a >= MEMBERS || b >= MEMBERS)
    return 0;
  add(&s, a);
  add(&s, b);
  assert(has(&s, a) && has(&s, b));
  assert(count(&s) == (a == b ? 1u : 2u));
  drop(&s, a);
  assert(!has(&s, a));
  return 0;
}
