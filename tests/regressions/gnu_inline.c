// Once refused as a redefinition: gcc's `gnu_inline` definition gives way to the real one. A call may be of either.
//~ SAFE
//~ run: verify
//~ UNKNOWN!
//~ run: verify --entry different
extern void reach_error(void);
extern inline __attribute__((gnu_inline)) int next(int x) { return x + 1; }
int next(int x) {
  return x + 1;
}
extern inline __attribute__((__gnu_inline__)) int twice(int x) { return x + x; }
int twice(int x) { return 2 * x; }
int main(void) {
  if (next(1) != 2) reach_error();
  return 0;
}
int different(void) {
  if (twice(2) != 4) reach_error();
  return 0;
}
