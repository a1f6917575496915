// Sums up as many inputs as the first one says (paper 2, Fig. 9a). The sum overflows.
extern void __VERIFIER_error(void); extern unsigned char __VERIFIER_nondet_char(void);
int main() {
  unsigned char n = __VERIFIER_nondet_char();
  if (n == 0) {
    return 0;
  }
  unsigned char v = 0;
  unsigned char s = 0;
  unsigned int i = 0;
  while (i < n) {
    v = __VERIFIER_nondet_char();
    s += v;
    ++i;
  }
  if (s < v) {
    __VERIFIER_error();
    return 1;
  }
  if (s > 65025) {
    __VERIFIER_error();
    return 1;
  }
  return 0;
}
