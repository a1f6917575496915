// Three violations, for the index of a page.
//~ UNSAFE
//~ run: verify --engine bmc --all --html /dev/null --format gcc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int a = __VERIFIER_nondet_int();
  int b[4] = {0};
  if (a == 7)
    reach_error();
  if (a >= 0 && a < 6)
    b[a] = 1;
  return 100 / (a - 9);
}
