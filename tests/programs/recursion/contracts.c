// Recursion without a bound: what a function requires and ensures is found and proved, also where its parameters change.
//~ SAFE
//~ run: verify --engine induction
//~ run: verify --engine induction --json
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int add(int m, int n) {
  if (n <= 0) return m;
  n--;
  return add(m + 1, n);
}
int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  if (a < 0 || b < 0 || a > 1000 || b > 1000) return 0;
  if (add(a, b) != a + b) reach_error();
  return 0;
}
