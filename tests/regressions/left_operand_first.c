// Once: a left operand was read after the call on its right. gcc and clang read it before; C leaves it open.
//~ gcc
//~ run: replay --quiet
int printf(const char *, ...);
int a[2] = { 1, 2 }, top = 2, *p = a;
struct stack { int n; } s = { 2 };
static int change(void) { a[0] = 10; p = a + 1; return 1; }
static int pop(void) { return s.n--; }
int main(void) {
  printf("%d\n", a[0] + change());
  printf("%d\n", s.n * 100 + pop());
  p = a;
  printf("%d\n", p[change()]);
  p = a;
  *p = change() + 4;
  printf("%d %d\n", a[0], a[1]);
  p = a;
  *p = change();
  printf("%d %d\n", a[0], a[1]);
  a[0] = 3;
  a[0] += change();
  printf("%d\n", a[0]);
  return 0;
}
