// Checks that brackets match, with a stack of fixed depth.
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>

#define DEPTH 3

static char open_brackets[DEPTH];
static int depth;

static char partner(int c) {
  switch (c) {
  case ')':
    return '(';
  case ']':
    return '[';
  case '}':
    return '{';
  default:
    return 0;
  }
}

static bool accept(int c) {
  if (c == '(' || c == '[' || c == '{') {
    if (depth == DEPTH)
      return false;
    open_brackets[depth++] = (char)c;
    return true;
  }
  if (partner(c)) {
#ifdef BUG
    return open_brackets[--depth] == partner(c);
#else
    return depth > 0 && open_brackets[--depth] == partner(c);
#endif
  }
  return true;
}

int main(void) {
  int c, opened = 0, closed = 0;
  for (int i = 0; i < 5 && (c = getchar()) != EOF; i++) {
    if (!accept(c)) {
      fputs("mismatch\n", stderr);
      return 1;
    }
    opened += c == '(' || c == '[' || c == '{';
    closed += c == ')' || c == ']' || c == '}';
    assert(depth >= 0 && depth <= DEPTH);
  }
  assert(depth == opened - closed);
  puts(depth == 0 ? "balanced" : "open");
  return 0;
}
