// Once called true: gcc reads `n` after the call, clang before.
//~ UNKNOWN!
//~ run: verify
extern void reach_error(void);
int n;
static int next(void) { return ++n; }
static int less(int a, int b) { return a < b; }
int main(void) {
  if (less(n, next())) reach_error();
  return 0;
}
