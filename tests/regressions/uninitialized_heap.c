// A violation that depends on what `malloc` left in memory replays with the same.
//~ UNSAFE memory that nobody wrote holds any value
//~ run: verify
void *malloc(unsigned long);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int *p = malloc(2 * sizeof *p);
  if (__VERIFIER_nondet_int()) p[0] = 3;
  //@ assert p[0] != 7 || p[1] != 5;
  return 0;
}
