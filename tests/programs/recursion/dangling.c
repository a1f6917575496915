// After a call, a global points to a variable of the activation that is gone.
//~ UNKNOWN!
//~ run: verify --engine induction --timeout 20
//~ UNSAFE
//~ run: verify --engine bmc --unwind 3 -p valid-deref
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int *last;
int f(int n) {
  int k = n;
  if (n <= 0) return 0;
  last = &k;
  f(n - 1);
  return *last - k;
}
int main(void) {
  if (f(__VERIFIER_nondet_int()) < -100) reach_error();
  return 0;
}
