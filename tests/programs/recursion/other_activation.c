// A call writes a variable of the activation that called it: no contract says so, and nothing is proved.
//~ UNSAFE
//~ run: verify --engine induction --timeout 20
//~ run: verify
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int f(int n, int *p) {
  int k = 0;
  if (n <= 0) { *p = 1; return 0; }
  f(n - 1, &k);
  return k;
}
int main(void) {
  int x = 0, r = f(__VERIFIER_nondet_int(), &x);
  if (r != 0) reach_error();
  return 0;
}
