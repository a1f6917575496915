//~ UNSAFE
//~ run: verify -p no-overflow
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a = __VERIFIER_nondet_int(), b = 2147483600;
  if (a > 40 && a < 60) return a + b;
  return 0;
}
