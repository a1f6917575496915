// Once an internal error: memory that nobody wrote can hold the address of a variable, but not the one that it has in the interpreter.
//~ UNKNOWN!
//~ run: verify
extern void reach_error(void);
extern char __VERIFIER_nondet_char(void);
int x;
int main(void) {
  void *p;
  *(char *)&p = __VERIFIER_nondet_char();
  if (p == &x) reach_error();
  return 0;
}
