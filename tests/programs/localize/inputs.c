// Nothing but the assertion and the input that it is about: no line can be blamed.
//~ UNSAFE
//~ run: localize --inputs 0
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n == 0) reach_error();
  return 0;
}
