// Recursion in a loop without a bound, and a loop in it.
//~ SAFE
//~ run: verify --engine induction
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int limited(int n, int x) {
  for (int i = 0; i < n; i++) if (x < 10) x++;
  if (n <= 0) return x;
  return limited(n - 1, x);
}
int main(void) {
  int x = 0;
  while (__VERIFIER_nondet_int()) {
    x = limited(__VERIFIER_nondet_int(), x);
    if (x < 0 || x > 10) reach_error();
  }
  return 0;
}
