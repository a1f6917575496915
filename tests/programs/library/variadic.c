// A function with variable arguments of the user's, directly and through a pointer.
//~ gcc
//~ SAFE
//~ run: verify
#include <stdarg.h>
#include <assert.h>
static int input(void) { return 7; }
static int sum(int n, ...) { va_list ap; va_start(ap, n); int s = 0; for (int i = 0; i < n; i++) s += va_arg(ap, int); va_end(ap); return s; }
static int vsum(int n, va_list ap) { int s = 0; while (n--) s += va_arg(ap, int); return s; }
static int sum2(int n, ...) { va_list a, b; va_start(a, n); va_copy(b, a); int x = vsum(n, a); int y = vsum(n, b); va_end(a); va_end(b); return x + y; }
struct p { int x, y; };
static double mixed(const char *kinds, ...) { va_list ap; va_start(ap, kinds); double r = 0; for (; *kinds; kinds++) { if (*kinds == 'd') r += va_arg(ap, double); else if (*kinds == 'l') r += va_arg(ap, long long); else if (*kinds == 'p') r += *va_arg(ap, int *); else if (*kinds == 's') { struct p q = va_arg(ap, struct p); r += q.x * 10 + q.y; } else r += va_arg(ap, int); } va_end(ap); return r; }
int main(void) {
  int a = input(), b = input();
  if (a < 0 || a > 1000 || b < 0 || b > 1000) return 0;
  assert(sum(2, a, b) == a + b);
  assert(sum(0) == 0);
  assert(sum2(3, a, 1, b) == 2 * (a + b + 1));
  int (*f)(int, ...) = a > 5 ? sum : sum2;
  int r = f(1, a);
  assert(r == (a > 5 ? a : 2 * a));
  struct p q = {3, 4};
  assert(mixed("dlpsi", 1.5, 2LL, &a, q, 'c') == 1.5 + 2 + a + 34 + 'c');
  return 0;
}
