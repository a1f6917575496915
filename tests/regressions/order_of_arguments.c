// Once: inputs in a list of arguments were read from left to right, so that gcc's program failed on other inputs.
//~ UNSAFE
//~ run: verify
//~ run: replay --inputs 1,2
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static void check(int a, int b) { if (a == 2 && b == 1) reach_error(); }
int main(void) {
  check(__VERIFIER_nondet_int(), __VERIFIER_nondet_int());
  return 0;
}
