// The size of a type with computed lengths, evaluated once, where it stands.
//~ SAFE
//~ run: verify
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), m = 2;
  if (n < 1 || n > 100) return 0;
  //@ assert sizeof(int[n]) == n * sizeof(int);
  unsigned long bytes = sizeof(char[n][m++]);
  //@ assert bytes == 2 * n && m == 3;
  return 0;
}
