//~ run: replay --inputs 0
//~ run: replay --inputs 1
// A missing return is only wrong when somebody uses the value.
extern int __VERIFIER_nondet_int(void);
static int f(int x) { if (x) return 5; }
int main(void) {
  int x = __VERIFIER_nondet_int();
  f(x);
  if (f(x) == 5) return 1;
}
