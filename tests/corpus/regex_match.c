// The small regular expression matcher of Rob Pike: literals, '.', '*', '^', '$'.
#include <assert.h>
#include <string.h>

extern char __VERIFIER_nondet_char(void);

static int match_here(const char *re, const char *text);

static int match_star(int c, const char *re, const char *text) {
  do {
    if (match_here(re, text))
      return 1;
#ifdef BUG
  } while ((*text++ == c || c == '.'));
#else
  } while (*text != '\0' && (*text++ == c || c == '.'));
#endif
  return 0;
}

static int match_here(const char *re, const char *text) {
  if (re[0] == '\0')
    return 1;
  if (re[1] == '*')
    return match_star(re[0], re + 2, text);
  if (re[0] == '$' && re[1] == '\0')
    return *text == '\0';
  if (*text != '\0' && (re[0] == '.' || re[0] == *text))
    return match_here(re + 1, text + 1);
  return 0;
}

static int match(const char *re, const char *text) {
  if (re[0] == '^')
    return match_here(re + 1, text);
  do {
    if (match_here(re, text))
      return 1;
  } while (*text++ != '\0');
  return 0;
}

int main(void) {
  char text[4];
  for (int i = 0; i < 3; i++)
    text[i] = __VERIFIER_nondet_char();
  text[3] = '\0';
  assert(match("^.*$", text));
  assert(match("x", text) == (strchr(text, 'x') != NULL));
  if (text[0] == 'a' && text[1] == 'b')
    assert(match("^ab*", text));
  assert(!match("^.*q$", text) || strchr(text, 'q'));
  return 0;
}
