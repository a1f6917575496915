// The pointer is to the variable of the round before, whose lifetime has ended; once a wrong `true`.
//~ UNKNOWN!
//~ run: verify -p unreach-call
//~ UNSAFE
//~ run: verify -p valid-deref
//~ run: verify
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int c = __VERIFIER_nondet_int(), *q = 0, n = 0;
again:;
  {
    int y = n;
    if (n == 0 && c) { q = &y; n++; goto again; }
    if (q) {
      if (*q == 0) reach_error();
    }
  }
  return 0;
}
