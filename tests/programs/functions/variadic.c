//~ run: replay --quiet
//~ gcc
// A variadic function may be called; only reading its arguments is not supported.
int printf(const char *, ...);
static int first(int n, ...) { return n; }
int main(void) {
  char c = 'x'; float f = 1.5f; short s = -3; _Bool b = 1;
  printf("%c %.2f %d %d %d\n", c, f, s, b, first(1, f, c, &s));
  return first(3, 1, 2, "x");
}
