// Each level allocates; whether all of it is freed cannot be told from one level.
//~ UNSAFE
//~ run: verify --engine induction --timeout 20 -p valid-memcleanup
//~ run: verify -p valid-memcleanup
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
void f(int n) {
  int *p = malloc(4);
  if (n > 0) f(n - 1);
  if (n != 3) free(p);
}
int main(void) {
  f(__VERIFIER_nondet_int());
  return 0;
}
