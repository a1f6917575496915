// Evaluates an expression in reverse Polish notation, such as "12 3*".
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

struct stack {
  double *values;
  size_t count, capacity;
};

static int push(struct stack *s, double value) {
  if (s->count == s->capacity) {
#ifndef BUG
    size_t size = 2 * s->capacity * sizeof *s->values;
#else
    size_t size = 2 * s->capacity;
#endif
    double *larger = realloc(s->values, size);
    if (!larger)
      return 0;
    s->values = larger;
    s->capacity *= 2;
  }
  s->values[s->count++] = value;
  return 1;
}

static int pop(struct stack *s, double *value) {
  if (s->count == 0)
    return 0;
  *value = s->values[--s->count];
  return 1;
}

static int apply(struct stack *s, char operator) {
  double left, right;
  if (!pop(s, &right) || !pop(s, &left))
    return 0;
  switch (operator) {
  case '+':
    return push(s, left + right);
  case '-':
    return push(s, left - right);
  case '*':
    return push(s, left * right);
  case '/':
    return right != 0 && push(s, left / right);
  default:
    return 0;
  }
}

static int evaluate(const char *text, double *result) {
  struct stack s = {malloc(sizeof(double)), 0, 1};
  int valid = s.values != NULL;
  while (valid && *text) {
    if (isspace((unsigned char)*text)) {
      text++;
    } else if (isdigit((unsigned char)*text)) {
      double value = 0;
      for (; isdigit((unsigned char)*text); text++)
        value = value * 10 + (*text - '0');
      valid = push(&s, value);
    } else {
      valid = apply(&s, *text++);
    }
  }
  valid = valid && pop(&s, result) && s.count == 0;
  free(s.values);
  return valid;
}

int main(void) {
  char line[5];
  double result;
  if (!fgets(line, sizeof line, stdin))
    return EXIT_FAILURE;
  if (!evaluate(line, &result)) {
    fputs("invalid expression\n", stderr);
    return EXIT_FAILURE;
  }
  printf("%g\n", result);
  return 0;
}
