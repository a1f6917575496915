// A static variable is one for all activations.
//~ UNSAFE
//~ run: verify --engine induction --timeout 20
//~ run: verify
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int depth(int n) {
  static int most;
  if (n <= 0) return most;
  most++;
  return depth(n - 1);
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n > 5) return 0;
  depth(n);
  if (depth(0) == 5) reach_error();
  return 0;
}
