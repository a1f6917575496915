// A parser of sums in parentheses that leaves by longjmp at an error.
#include <assert.h>
#include <setjmp.h>
#include <stdio.h>

extern char __VERIFIER_nondet_char(void);

static jmp_buf failure;
static const char *at;

enum { BAD_DIGIT = 1, NOT_CLOSED = 2, TOO_DEEP = 3 };

static int sum(int depth);

static int primary(int depth) {
  if (*at == '(') {
#ifndef BUG
    if (depth == 2)
      longjmp(failure, TOO_DEEP);
#endif
    at++;
    int value = sum(depth + 1);
    if (*at != ')')
      longjmp(failure, NOT_CLOSED);
    at++;
    return value;
  }
  if (*at < '0' || *at > '9')
    longjmp(failure, BAD_DIGIT);
  return *at++ - '0';
}

static int sum(int depth) {
  assert(depth <= 2);
  int value = primary(depth);
  while (*at == '+') {
    at++;
    value += primary(depth);
  }
  return value;
}

int main(void) {
  static char text[5];
  for (int i = 0; i < 4; i++)
    text[i] = __VERIFIER_nondet_char();
  text[4] = '\0';
  at = text;
  switch (setjmp(failure)) {
  case 0: {
    int value = sum(0);
    assert(value >= 0 && value <= 18);
    printf("%d\n", value);
    return 0;
  }
  case BAD_DIGIT:
    fputs("a digit is missing\n", stderr);
    return 1;
  case NOT_CLOSED:
    fputs("not closed\n", stderr);
    return 1;
  default:
    return 2;
  }
}
