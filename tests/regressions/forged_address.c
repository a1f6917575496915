// Once an internal error: an input can name the address of a variable, but not the one that it has in the interpreter.
//~ UNSAFE
//~ run: verify
extern void reach_error(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
int x;
int main(void) {
  if ((int *)__VERIFIER_nondet_ulong() == &x) reach_error();
  return 0;
}
