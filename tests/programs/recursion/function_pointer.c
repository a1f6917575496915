// A function that calls itself through a pointer is recursive too.
//~ UNSAFE
//~ run: verify --engine induction --timeout 20
//~ run: verify
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int f(int n);
int (*step)(int) = f;
int f(int n) { return n <= 0 ? 0 : step(n - 1) + 2; }
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n > 10) return 0;
  if (f(n) == 14) reach_error();
  return 0;
}
