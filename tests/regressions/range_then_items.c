//~ run: replay --quiet
//~ gcc
// A range repeats what it is given; the items after it go on in its last element.
int printf(const char *, ...);
struct s { int a, b, c; } x[3] = { [0 ... 1] = 4, 5, [1 ... 2].b = 7, 8 };
int main(void) {
  for (int i = 0; i < 3; i++) printf("%d %d %d\n", x[i].a, x[i].b, x[i].c);
  return 0;
}
