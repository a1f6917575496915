// The command wc over standard input.
//~ BOUNDED 5
#include <assert.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>

struct counts {
  unsigned lines, words, bytes;
};

static void count(FILE *in, struct counts *c, unsigned limit) {
  bool inside = false;
  int ch;
  while (c->bytes < limit && (ch = getc(in)) != EOF) {
    c->bytes++;
    if (ch == '\n')
      c->lines++;
    if (isspace(ch)) {
#ifndef BUG
      inside = false;
#endif
    } else if (!inside) {
      inside = true;
      c->words++;
    }
#ifdef BUG
    if (ch == ' ')
      c->words++;
#endif
  }
}

int main(void) {
  struct counts c = {0, 0, 0};
  count(stdin, &c, 1000000);
  assert(c.lines <= c.bytes);
  assert(c.words <= (c.bytes + 1) / 2);
  printf("%7u %7u %7u\n", c.lines, c.words, c.bytes);
  return 0;
}
