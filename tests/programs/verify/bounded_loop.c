//~ SAFE
//~ run: verify
// Every loop ends: the answer is a proof.
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint() % 8, s = 0;
  for (unsigned i = 0; i < n; i++) s += i;
  //@ assert s == n * (n - 1) / 2 || n == 0;
  return 0;
}
