// Exceptions in C: handlers in several calls of one function, thrown from a function that qsort calls.
//~ SAFE
//~ run: verify
#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>
static jmp_buf *handler;
static void throw_(int code) { longjmp(*handler, code); }
static int compare(const void *a, const void *b) {
  if (*(const int *)a == 13)
    throw_(13);
  return *(const int *)a - *(const int *)b;
}
static int attempt(int depth) {
  jmp_buf here;
  jmp_buf *before = handler;
  volatile int caught = 0;
  handler = &here;
  if ((caught = setjmp(here)) == 0) {
    if (depth > 0) {
      int result = attempt(depth - 1);
      throw_(result + 1);
    } else {
      int values[3] = {5, 13, 1};
      qsort(values, 3, sizeof values[0], compare);
      assert(0);
    }
  }
  handler = before;
  return caught;
}
int main(void) {
  assert(attempt(2) == 15);
  assert(handler == 0);
  return 0;
}
