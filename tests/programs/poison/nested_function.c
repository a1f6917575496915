//~ run: check
//~ run: replay --inputs 0
//~ run: replay --inputs 1
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int base = 3;
  int add(int x) { return x + base; }
  if (__VERIFIER_nondet_int()) return add(1);
  return 0;
}
