// Splits a line into identifiers, numbers and operators.
#include <assert.h>
#include <ctype.h>
#include <string.h>

extern char __VERIFIER_nondet_char(void);

#define MAX_TOKEN 4
#define LINE 7

enum kind { END, NAME, NUMBER, OPERATOR };

struct token {
  enum kind kind;
  char text[MAX_TOKEN + 1];
};

static const char *next_token(const char *at, struct token *t) {
  size_t n = 0;
  while (isspace((unsigned char)*at))
    at++;
  if (*at == '\0') {
    t->kind = END;
  } else if (isalpha((unsigned char)*at) || *at == '_') {
    t->kind = NAME;
    while (isalnum((unsigned char)*at) || *at == '_') {
#ifdef BUG
      if (n <= MAX_TOKEN)
#else
      if (n < MAX_TOKEN)
#endif
        t->text[n++] = *at;
      at++;
    }
  } else if (isdigit((unsigned char)*at)) {
    t->kind = NUMBER;
    for (; isdigit((unsigned char)*at); at++)
      if (n < MAX_TOKEN)
        t->text[n++] = *at;
  } else {
    t->kind = OPERATOR;
    t->text[n++] = *at++;
  }
  t->text[n] = '\0';
  return at;
}

int main(void) {
  char line[LINE];
  for (int i = 0; i < LINE - 1; i++)
    line[i] = __VERIFIER_nondet_char();
  line[LINE - 1] = '\0';
  const char *at = line;
  struct token t;
  int tokens = 0;
  do {
    at = next_token(at, &t);
    assert(strlen(t.text) <= MAX_TOKEN);
    assert((t.kind == END) == (t.text[0] == '\0'));
    tokens++;
  } while (t.kind != END);
  assert(tokens <= LINE);
  return 0;
}
