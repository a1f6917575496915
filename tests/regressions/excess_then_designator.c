//~ run: replay --quiet
//~ gcc
// After an excess element a designator still counts; braces around a whole replace what was there; one union member replaces another.
int printf(const char *, ...);
struct s { int a, b; } s = { 1, 2, 3, .a = 4 }, t = { .a = 1, .b = 2, .a = 5, 6, 7, .b = 8 };
int a[2] = { 1, 2, 3, [0] = 9 }, b[2][2] = { [0] = { 1, 2 }, { 3, 4 }, [0] = { [1] = 5 } };
union { int i; char c; } u = { .i = 0x12345678, .c = 1 };
int main(void) {
  struct { struct s x; int n; } l = { .x.a = 1, 2, 3, .x = { .b = 7 } };
  printf("%d %d %d %d %d %d\n", s.a, s.b, t.a, t.b, a[0], a[1]);
  printf("%d %d %d %d %d %d %d %x\n", b[0][0], b[0][1], b[1][0], b[1][1], l.x.a, l.x.b, l.n, u.i);
  return 0;
}
