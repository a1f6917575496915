// Once called true: C does not order the values of an initializer.
//~ UNKNOWN!
//~ run: verify
extern void reach_error(void);
int n;
static int next(void) { return ++n; }
int main(void) {
  int a[2] = { next(), next() };
  if (a[0] != 1) reach_error();
  return 0;
}
