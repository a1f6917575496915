// Reads lines "key = value" of a configuration file.
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct setting {
  char key[3];
  int value;
};

static char *skip_blanks(char *p) {
  while (*p == ' ' || *p == '\t')
    p++;
  return p;
}

static int parse_line(char *line, struct setting *s) {
  char *p = skip_blanks(line);
  if (*p == '#' || *p == ';' || *p == '\0' || *p == '\n')
    return 0;
  char *equals = strchr(p, '=');
#ifndef BUG
  if (!equals)
    return -1;
#endif
  size_t length = equals - p;
  while (length > 0 && isblank((unsigned char)p[length - 1]))
    length--;
  if (length == 0 || length >= sizeof s->key)
    return -1;
  memcpy(s->key, p, length);
  s->key[length] = '\0';
  s->value = atoi(equals + 1);
  return 1;
}

int main(void) {
  char line[5];
  struct setting s;
  for (int lines = 0; lines < 1 && fgets(line, sizeof line, stdin); lines++) {
    int result = parse_line(line, &s);
    if (result < 0) {
      fprintf(stderr, "syntax error in line %d\n", lines + 1);
      return EXIT_FAILURE;
    }
    if (result > 0) {
      assert(s.key[0] != '\0' && s.key[0] != ' ');
      assert(strlen(s.key) < sizeof s.key);
      printf("%s=%d\n", s.key, s.value);
    }
  }
  return 0;
}
