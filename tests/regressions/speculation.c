//~ run: replay --quiet
//~ gcc
// Looking at the type of an expression leaves nothing of it behind: no object, scope, label or loop.
int printf(const char *, ...);
struct s { int a, b; };
int main(void) {
  int n = 2;
  printf("%d %d\n", (int)sizeof((int[]){ 1, 2, 3 }), (int)sizeof((struct s){ 1 }.b));
  typeof(({ int y = 1; while (y < 9) { y++; if (y == n) break; } y; })) z = 3;
  typeof(({ long again = 0; l: if (again++ < 3) goto l; again; })) w = 1L << 40;
  __auto_type v = ({ int t[2] = { 4, 5 }; t[1] += n; t[1]; });
  int *p = (struct s *[]){ &(struct s){ 7, 8 } }[0] ? &n : 0;
  printf("%d %ld %d %d %d\n", z, w, v, *p, (int)sizeof(__func__));
  goto end;
end:
  return (int)sizeof(({ static int k; k; }));
}
