// Strings that are shared and counted.
//~ options: -p default -p valid-memtrack
#include <assert.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct shared {
  int references;
  char text[8];
};

static struct shared *shared_new(const char *text) {
  struct shared *s = malloc(sizeof *s);
  if (!s)
    abort();
  s->references = 1;
  strncpy(s->text, text, sizeof s->text - 1);
  s->text[sizeof s->text - 1] = '\0';
  return s;
}

static struct shared *retain(struct shared *s) {
#ifdef BUG
  if (s->references < 2)
#endif
    s->references++;
  return s;
}

static void release(struct shared *s) {
  assert(s->references > 0);
  if (--s->references == 0)
    free(s);
}

int main(void) {
  struct shared *name = shared_new("whoever");
  struct shared *copies[3];
  int n = 0;
  for (int i = 0; i < 3; i++)
    if (__VERIFIER_nondet_int())
      copies[n++] = retain(name);
  release(name);
  while (n > 0) {
    assert(strcmp(copies[--n]->text, "whoever") == 0);
    release(copies[n]);
  }
  return 0;
}
