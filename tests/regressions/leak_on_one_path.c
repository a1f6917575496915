// What is judged at the end of the program has its place there: the run was shown with a large input and at the first line.
//~ UNSAFE
//~ run: verify -p valid-memtrack
//~ run: localize -p valid-memtrack --no-repair
void *malloc(unsigned long);
extern unsigned __VERIFIER_nondet_uint(void);
int *p;
int main(void) {
  unsigned i = __VERIFIER_nondet_uint();
  p = malloc(sizeof(int));
  if (i > 5) p = 0;
  return 0;
}
