// Once called correct: a variable whose declaration is jumped over was thought to have the value that other ways give it.
//~ UNSAFE memory that nobody wrote holds any value
//~ run: verify
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  if (__VERIFIER_nondet_int()) goto behind;
  int x = 3;
behind:
  if (x != 3) reach_error();
  return 0;
}
