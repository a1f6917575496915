// Appends formatted text to a buffer of fixed size.
#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct builder {
  char text[12];
  size_t used;
};

static bool append(struct builder *b, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(b->text + b->used, sizeof b->text - b->used, format, args);
  va_end(args);
#ifdef BUG
  if (n < 0)
    return false;
#else
  if (n < 0 || (size_t)n >= sizeof b->text - b->used) {
    b->text[b->used] = '\0';
    return false;
  }
#endif
  b->used += (size_t)n;
  return true;
}

int main(void) {
  struct builder b = {.used = 0};
  static const char *const names[] = {"x", "long"};
  for (int i = 0; i < 3; i++) {
    const char *name = names[__VERIFIER_nondet_int() != 0];
    if (!append(&b, "%s=%d;", name, i))
      break;
    assert(b.used < sizeof b.text);
    assert(b.text[b.used - 1] == ';');
  }
  assert(strlen(b.text) == b.used);
  return 0;
}
