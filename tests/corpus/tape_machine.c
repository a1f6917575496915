// An interpreter of a language with a tape, eight bit cells, and loops in brackets.
#include <assert.h>
#include <stdio.h>
#include <string.h>

extern char __VERIFIER_nondet_char(void);

#define CELLS 3
#define PROGRAM 4

static unsigned char tape[CELLS];

static const char *match(const char *at, const char *end) {
  int open = 0;
  for (; at < end; at++) {
    if (*at == '[')
      open++;
    else if (*at == ']' && --open == 0)
      return at;
  }
  return NULL;
}

static int run(const char *program, size_t n) {
  const char *end = program + n;
  size_t cell = 0;
  int steps = 0;
  for (const char *at = program; at < end; at++) {
    if (++steps > 8)
      return -1;
    switch (*at) {
    case '>':
      cell = (cell + 1) % CELLS;
      break;
    case '<':
#ifdef BUG
      cell = cell == 0 ? CELLS : cell - 1;
#else
      cell = (cell + CELLS - 1) % CELLS;
#endif
      break;
    case '+':
      tape[cell]++;
      break;
    case '-':
      tape[cell]--;
      break;
    case '[':
      if (!tape[cell]) {
        at = match(at, end);
        if (!at)
          return -2;
      }
      break;
    case '.':
      putchar(tape[cell]);
      break;
    }
    assert(cell < CELLS);
  }
  return (int)cell;
}

int main(void) {
  char program[PROGRAM];
  for (int i = 0; i < PROGRAM; i++)
    program[i] = __VERIFIER_nondet_char();
  int cell = run(program, PROGRAM);
  if (cell == 0 && !memchr(program, '>', PROGRAM))
    assert(tape[1] == 0 || memchr(program, '<', PROGRAM));
  return 0;
}
