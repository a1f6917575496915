//~ run: replay --quiet
//~ gcc
int printf(const char *, ...);
struct big { int a[20]; char tag; };
struct pair { short a; double b; };
union un { int i; float f; };
static struct big grow(struct big b, int by) { b.a[19] += by; b.tag++; return b; }
static struct pair swap(struct pair p) { struct pair q = { (short)p.b, p.a }; return q; }
static union un as(float f) { union un u; u.f = f; return u; }
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int odd(int);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
static int twice(int (*f)(int), int x) { return f(f(x)); }
static int (*pick(int which))(int) { return which ? fib : even; }
typedef int op(int);
static op fib2; static int fib2(int x) { return fib(x) * 2; }
static int apply(op f, int x) { return (*f)(x) + (**f)(x) + f(x); }
static void nothing(void) {}
static void *id(void *p) { return p; }
int main(void) {
  struct big b = { .a = { [19] = 5 }, .tag = 'a' };
  struct big c = grow(grow(b, 1), 2);
  op *table[2] = { fib, &even };
  printf("%d %c %d %c\n", c.a[19], c.tag, b.a[19], b.tag);
  struct pair p = swap((struct pair){ 3, 4.5 }); printf("%d %.1f\n", p.a, p.b);
  printf("%x %d %d %d\n", as(1.0f).i, fib(15), even(10), odd(10));
  printf("%d %d %d %d\n", twice(fib, 7), pick(1)(9), pick(0)(9), apply(fib2, 6));
  printf("%d %d\n", table[0](8), table[1](8));
  nothing(); (void)nothing; int x = *(int *)id(&b.a[19]);
  printf("%d %d %d\n", x, fib == pick(1), (x ? fib : fib2)(10));
  return c.tag;
}
