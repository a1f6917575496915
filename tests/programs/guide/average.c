// The average of two numbers.
//~ UNSAFE
//~ run: verify -p no-overflow
extern int __VERIFIER_nondet_int(void);

int average(int a, int b) { return (a + b) / 2; }

int main(void) {
  int a = __VERIFIER_nondet_int();
  int b = __VERIFIER_nondet_int();
  if (a < 0 || b < 0) return 0;
  int m = average(a, b);
  //@ assert m >= 0;
  return m;
}
