// A stack of integers that grows by realloc.
//~ options: -p default -p valid-memtrack
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

typedef struct stack {
  int *items;
  size_t size;
  size_t capacity;
} Stack;

static void push(Stack *s, int item) {
  if (s->size == s->capacity) {
    size_t wanted = s->capacity ? s->capacity * 2 : 1;
    int *items = realloc(s->items, wanted * sizeof *items);
    if (!items)
      abort();
    s->items = items;
    s->capacity = wanted;
  }
  s->items[s->size++] = item;
}

static int pop(Stack *s) {
  assert(s->size > 0);
  return s->items[--s->size];
}

static void destroy(Stack *s) {
#ifdef BUG
  if (s->size > 0)
    free(s->items);
#else
  free(s->items);
#endif
  s->items = NULL;
  s->size = s->capacity = 0;
}

int main(void) {
  Stack s = {0};
  long sum = 0;
  for (int i = 0; i < 3; i++) {
    int x = __VERIFIER_nondet_int();
    if (x == 0)
      break;
    push(&s, x);
    sum += x;
  }
  while (s.size > 0)
    sum -= pop(&s);
  assert(sum == 0);
  destroy(&s);
  return 0;
}
