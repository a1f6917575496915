// Once called violated: the value of a range in an initializer was computed for each element.
//~ SAFE
//~ run: verify
extern void reach_error(void);
int n;
static int next(void) { return ++n; }
int main(void) {
  int a[4] = { [0 ... 2] = next(), 7 };
  if (n != 1 || a[0] != 1 || a[2] != 1 || a[3] != 7) reach_error();
  int b[40] = { [10 ... 30] = next() };
  if (n != 2 || b[10] != 2 || b[30] != 2 || b[31] != 0) reach_error();
  return 0;
}
