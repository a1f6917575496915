//~ run: check
//~ run: replay --inputs 0
//~ run: replay --inputs 1
extern int __VERIFIER_nondet_int(void);
int main(void) {
  if (!__VERIFIER_nondet_int()) return 0;
  static void *table[] = { &&a, &&b };
  goto *table[1];
a: return 1;
b: return 2;
}
