// Recursion that constants end is executed as it is, in a loop without a bound too.
//~ SAFE
//~ run: verify --engine induction
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
int main(void) {
  while (__VERIFIER_nondet_int())
    if (fibonacci(9) != 34) reach_error();
  return 0;
}
