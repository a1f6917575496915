//~ run: replay --quiet
//~ gcc
int printf(const char *, ...);
typedef int row[3];
typedef int (*binary)(int, int);
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static binary table[2] = { add, sub };
static binary (*choose(int n))(void);
static binary first(void) { return add; }
static binary second(void) { return sub; }
static binary (*choose(int n))(void) { return n ? second : first; }
static int sum(row *rows, int n) { int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) s += rows[i][j]; return s; }
static int total(int n, int m, int a[n][m]) { int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += a[i][j]; return s + (int)sizeof a[0]; }
static int old(a, f) int a; int (*f)(); { return f(a, 1); }
static inline __attribute__((always_inline)) int quick(register const int volatile x) { return x; }
struct outer { struct inner { int v; } in; struct inner *p; union { int i; float f; }; int (*call)(struct outer *); };
static int method(struct outer *self) { return self->in.v + self->p->v + self->i; }
_Static_assert(sizeof(row) == 12, "row");
int main(void) {
  row grid[2] = { { 1, 2, 3 }, { 4, 5, 6 } }, *p = grid;
  int (*q)[3] = &grid[1], *flat = *grid, **pp = &flat, v[2][3] = { { 1 }, { 2 } };
  printf("%d %d %d %d\n", sum(grid, 2), (*q)[1], p[1][2], *(*(grid + 1) + 2));
  printf("%d %d %d %d\n", table[1](9, 4), (*table[0])(9, 4), choose(1)()(5, 3), (**choose)(0)()(5, 3));
  printf("%d %d %d\n", total(2, 3, v), old(4, add), quick(3));
  struct outer o = { { 1 }, &o.in, { 5 }, method }, copy = o; copy.in.v = 10;
  printf("%d %d %d\n", o.call(&o), copy.call(&copy), copy.p == &o.in);
  printf("%d %d %d %d\n", **pp, pp[0][1], (int)(q - grid), (int)(&grid[1][2] - &grid[0][0]));
  extern int later; { extern int later; later += 2; } printf("%d\n", later);
  for (int i = 0; i < 3; i++) { static int kept = 5; kept += i; printf("%d ", kept); }
  _Alignas(32) char buf[3]; __typeof__(buf[0]) ch = 'x'; buf[0] = ch;
  printf("%d %d %d\n", (int)_Alignof(struct outer), (int)((long)buf % 32), 0[buf]);
  const char *names[] = { [2] = "two", [0] = "zero" }; printf("%s %s %d\n", names[0], names[2], !names[1]);
  int (*(*fpa)[2])(int, int) = &table; printf("%d\n", (*fpa)[1](1, 2));
  return 0;
}
int later = 40;
