// Once called true, and the run went on: the least number divided by -1 is undefined, and ends the program on x86.
//~ UNKNOWN!
//~ run: verify
//~ run: verify --entry remainder
//~ UNSAFE
//~ run: verify --property no-overflow
//~ SAFE
//~ run: verify --entry excluded
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  if (b == 0) return 0;
  int q = a / b;
  if (b == 1 && q != a) reach_error();
  return 0;
}
int remainder(void) {
  long a = -9223372036854775807L - 1, b = __VERIFIER_nondet_int();
  if (b != -1) return 0;
  if (a % b != 0) reach_error();
  return 0;
}
int excluded(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  if (b == 0 || b == -1) return 0;
  short c = -32768, d = -1;
  if (a / b == 5 && a % b == 0 && a != 5 * b) reach_error();
  if (c / d != 32768) reach_error();
  return 0;
}
