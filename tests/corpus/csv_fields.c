// Splits a comma-separated record in place.
#include <assert.h>
#include <stdio.h>
#include <string.h>

extern char __VERIFIER_nondet_char(void);

#define MAX_FIELDS 2

struct record {
  char *field[MAX_FIELDS];
  int fields;
};

static int split(char *line, struct record *r) {
  r->fields = 0;
  char *start = line;
  for (char *p = line;; p++) {
    if (*p == ',' || *p == '\0') {
      int last = *p == '\0';
#ifdef BUG
      if (r->fields > MAX_FIELDS)
#else
      if (r->fields >= MAX_FIELDS)
#endif
        return -1;
      *p = '\0';
      r->field[r->fields++] = start;
      start = p + 1;
      if (last)
        return r->fields;
    }
  }
}

int main(void) {
  char line[5];
  struct record r = {.fields = 0};
  for (size_t i = 0; i < sizeof line - 1; i++)
    line[i] = __VERIFIER_nondet_char();
  line[sizeof line - 1] = '\0';
  size_t before = strlen(line);
  int n = split(line, &r);
  if (n < 0) {
    fputs("too many fields\n", stderr);
    return 1;
  }
  size_t total = (size_t)n - 1;
  for (int i = 0; i < n; i++) {
    assert(strchr(r.field[i], ',') == NULL);
    total += strlen(r.field[i]);
  }
  assert(total == before);
  return 0;
}
