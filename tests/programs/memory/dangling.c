//~ run: replay --quiet
//~ run: replay --quiet --entry block
//~ run: replay --quiet --entry loop
static int *leak(void) { int x = 5; return &x; }
int main(void) { return *leak(); }
int block(void) { int *p; { int x = 1; p = &x; } return *p; }
int loop(void) {
  int *last = 0;
  for (int i = 0; i < 2; i++) { int x = i; if (last) return *last; last = &x; }
  return 0;
}
