//~ run: check
//~ run: replay --quiet
extern printf();
add(a, b, c) int a; char c; { return a + b + c; }
float_arg(f, d) float f; double d; { return (int)(f * 2 + d); }
static many();
main(argc, argv) char **argv; {
  register r = add(1, 2, 'c' + 256);
  printf("%d %d %d %d\n", r, float_arg(1.5f, 0.5), many(4), implicit(5));
  return argc - 1;
}
static many(x) { return x * x; }
int implicit(int x) { return x + 1; }
