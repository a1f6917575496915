// The order of these operands is open, but no run can tell.
//~ SAFE
//~ run: verify
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int n, m, a[4];
struct node { struct node *next; int value; } one, two;
static int next(void) { return ++n; }
static int other(void) { return ++m; }
static int twice(int x) { int y[2] = { x, x }; return y[0] + y[1]; }
static int sum(int x, int y) { return x + y; }
int main(void) {
  int i = 0, *p = a;
  struct node *list = &one;
  if (next() + other() != 2) reach_error();
  if (twice(1) + twice(2) != 6) reach_error();
  if (sum(next(), m) != 3) reach_error();
  int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
  if (sum(__VERIFIER_nondet_int() != 0, __VERIFIER_nondet_int() != 0) > 2) reach_error();
  a[i++] = next();
  *p++ = a[i] + n++;
  n += next();
  a[0] = a[1] = a[2] = i++;
  list->next = list->next = &two;
  list = list->next = &one;
  i = (i++, i);
  i = twice(i++);
  y = x > 0 ? x-- : 0;
  x = i++ && i;
  return 0;
}
