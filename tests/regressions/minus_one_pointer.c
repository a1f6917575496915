// Once called correct: an input made a pointer was never equal to the constant of the same number.
//~ UNSAFE
//~ run: verify
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  char *p = (char *)(long)__VERIFIER_nondet_int();
  if (p == (char *)-1) reach_error();
  return 0;
}
