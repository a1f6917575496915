// Removes white space at both ends of a string, in place.
#include <assert.h>
#include <ctype.h>
#include <string.h>

extern char __VERIFIER_nondet_char(void);

static char *trim(char *s) {
  while (isspace((unsigned char)*s))
    s++;
  char *end = s + strlen(s);
#ifdef BUG
  end--;
  while (isspace((unsigned char)*end))
    end--;
  end[1] = '\0';
#else
  while (end > s && isspace((unsigned char)end[-1]))
    end--;
  *end = '\0';
#endif
  return s;
}

int main(void) {
  char text[5];
  int letters = 0;
  for (int i = 0; i < 4; i++)
    text[i] = __VERIFIER_nondet_char();
  text[4] = '\0';
  for (const char *p = text; *p; p++)
    letters += !isspace((unsigned char)*p);
  char *t = trim(text);
  size_t n = strlen(t);
  if (n > 0) {
    assert(!isspace((unsigned char)t[0]));
    assert(!isspace((unsigned char)t[n - 1]));
  }
  assert((n == 0) == (letters == 0));
  return 0;
}
