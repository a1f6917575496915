// Matches file names against patterns with '*' and '?'.
#include <assert.h>
#include <stdbool.h>
#include <string.h>

extern char __VERIFIER_nondet_char(void);

static bool wildcard(const char *pattern, const char *name) {
  const char *star = NULL, *retry = NULL;
  while (*name) {
    if (*pattern == '*') {
      star = pattern++;
      retry = name;
    } else if (*pattern == '?' || *pattern == *name) {
      pattern++;
      name++;
    } else if (star) {
      pattern = star + 1;
      name = ++retry;
    } else {
      return false;
    }
  }
  while (*pattern == '*')
    pattern++;
#ifdef BUG
  return true;
#else
  return *pattern == '\0';
#endif
}

static void read_name(char *name, int n) {
  for (int i = 0; i < n - 1; i++)
    name[i] = __VERIFIER_nondet_char();
  name[n - 1] = '\0';
}

int main(void) {
  char name[5];
  read_name(name, sizeof name);
  assert(wildcard("*", name));
  size_t n = strlen(name);
  if (wildcard("*.c", name))
    assert(n >= 2 && strcmp(name + n - 2, ".c") == 0);
  if (wildcard("??", name))
    assert(n == 2);
  return 0;
}
