//~ run: replay --json --inputs 5
extern int __VERIFIER_nondet_int(void);
static int twice(int v) { return v * 2; }
int main(void) {
  int n = __VERIFIER_nondet_int();
  int m = twice(n) + twice(1);
  if (m > 11) { int *p = 0; return *p; }
  return 0;
}
