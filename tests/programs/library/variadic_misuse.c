// More arguments are asked for than were given, and one of another type: undefined.
//~ UNKNOWN!
//~ run: verify
//~ run: verify -DTYPE
#include <assert.h>
#include <stdarg.h>
static int sum(int n, ...) {
  va_list list;
  va_start(list, n);
  int s = 0;
  while (n--) s += va_arg(list, int);
  va_end(list);
  return s;
}
int main(void) {
#ifdef TYPE
  int s = sum(2, 1, 2L);
#else
  int s = sum(3, 1, 2);
#endif
  assert(s == 3);
  return 0;
}
