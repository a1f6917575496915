// Two ways back to the head are one round: this ends after three rounds, and was once never unwound.
//~ SAFE
//~ run: verify
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int n = 0, s = 0, x;
  while (n < 3) {
    x = __VERIFIER_nondet_int();
    n++;
    if (x == 5) continue;
    if (x == 7) s++;
  }
  if (s > 3) reach_error();
}
