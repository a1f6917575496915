//~ run: replay --quiet
//~ gcc
int printf(const char *, ...);
union u { char c; int i; double d; struct { short a, b; } s; };
static union u first = { 65 }, named = { .d = 1.5 }, inner = { .s = { 1, 2 } }, twice = { .i = 5, .c = 1 };
static struct { int k; union { int a; char *p; }; struct { int x; union u v; } n; } anon = { 1, { 2 }, { 3, { .s.b = 4 } } }, anon2 = { .p = "str", .n.v.c = 'z' };
struct b { unsigned a : 3, : 5, b : 9; int : 0; signed c : 4; } static bits = { 9, 511, -1 }, des = { .c = 3 };
int main(void) {
  union u l = { .s.b = 7 };
  struct b lb = { 1, .c = -2 };
  printf("%c %.1f %d %d %d\n", first.c, named.d, inner.s.a, inner.s.b, twice.c);
  printf("%d %d %d %d %s %c\n", anon.k, anon.a, anon.n.x, anon.n.v.s.b, anon2.p, anon2.n.v.c);
  printf("%u %u %d %d %u %d %d %d\n", bits.a, bits.b, bits.c, des.c, lb.a, lb.b, lb.c, l.s.b);
  l.i = -1; printf("%d %d %d\n", l.c, l.s.a, (int)sizeof bits);
  l.d = 1; printf("%d\n", l.i);
  return 0;
}
