// Splits a command line into words by strtok, as a shell does.
#include <assert.h>
#include <stdio.h>
#include <string.h>

extern char __VERIFIER_nondet_char(void);

#define MAX_WORDS 1

struct command {
  char *words[MAX_WORDS + 1];
  int count;
};

static int split(char *line, struct command *c) {
  c->count = 0;
  for (char *w = strtok(line, " \t"); w; w = strtok(NULL, " \t")) {
#ifdef BUG
    if (c->count > MAX_WORDS)
#else
    if (c->count == MAX_WORDS)
#endif
      return -1;
    c->words[c->count++] = w;
  }
  c->words[c->count] = NULL;
  return c->count;
}

int main(void) {
  char line[5];
  for (int i = 0; i < 4; i++)
    line[i] = __VERIFIER_nondet_char();
  line[4] = '\0';
  struct command c;
  int n = split(line, &c);
  if (n < 0) {
    fputs("too many words\n", stderr);
    return 2;
  }
  for (int i = 0; i < n; i++)
    assert(c.words[i][0] != '\0' && strpbrk(c.words[i], " \t") == NULL);
  assert(c.words[n] == NULL);
  return 0;
}
