// A shift by too much is a fault of the amount, not an overflow: called an overflow, it did not replay.
//~ SAFE an amount out of range is no overflow, and its result is not looked at
//~ run: verify -p no-overflow
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a = __VERIFIER_nondet_int();
  int b = a << 100;
  return b;
}
