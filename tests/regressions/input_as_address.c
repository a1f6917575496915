// An input can be the address of a variable, but no replay shows it; once an internal error.
//~ UNKNOWN!
//~ run: verify
extern void reach_error(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
int x;
int main(void) {
  unsigned long k = __VERIFIER_nondet_ulong();
  if (k == (unsigned long)&x) reach_error();
  return 0;
}
