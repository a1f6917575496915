// A calculator in reverse Polish notation.
#include <assert.h>
#include <ctype.h>
#include <stdio.h>

#define STACK 4

enum error { OK, UNDERFLOW, OVERFLOW, DIVISION, SYNTAX };

struct calculator {
  long stack[STACK];
  int top;
  enum error error;
};

static void push(struct calculator *c, long x) {
  if (c->top == STACK)
    c->error = OVERFLOW;
  else
    c->stack[c->top++] = x;
}

static long pop(struct calculator *c) {
  if (c->top == 0) {
    c->error = UNDERFLOW;
    return 0;
  }
  return c->stack[--c->top];
}

static void key(struct calculator *c, int k) {
  if (isdigit(k)) {
    push(c, k - '0');
    return;
  }
  long b = pop(c), a = pop(c);
  switch (k) {
  case '+':
    push(c, a + b);
    break;
  case '-':
    push(c, a - b);
    break;
  case '/':
#ifdef BUG
    if (c->error == DIVISION)
      break;
#else
    if (b == 0) {
      c->error = DIVISION;
      break;
    }
#endif
    push(c, a / b);
    break;
  default:
    c->error = SYNTAX;
  }
}

int main(void) {
  struct calculator c = {.top = 0, .error = OK};
  int k;
  for (int keys = 0; keys < 5; keys++) {
    k = getchar();
    if (k == EOF || k == '\n')
      break;
    key(&c, k);
    if (c.error != OK)
      return c.error;
    assert(c.top >= 0 && c.top <= STACK);
  }
  if (c.top == 1)
    printf("%ld\n", c.stack[0]);
  return 0;
}
