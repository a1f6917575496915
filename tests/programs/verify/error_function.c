//~ UNSAFE
//~ run: verify -p unreach-call
//~ SAFE
//~ run: verify -p assertion
extern void reach_error(void);
extern char __VERIFIER_nondet_char(void);
int main(void) {
  char c = __VERIFIER_nondet_char();
  if (c * c == 49 && c < 0) reach_error();
  return 0;
}
