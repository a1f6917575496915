// Once unknown: the built-ins that say whether arithmetic fits, those of one type and those that only ask.
//~ SAFE
//~ run: verify -p no-overflow -p unreach-call
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), sum, difference;
  unsigned short low;
  long long exact = (long long)a + b;
  if (__builtin_sadd_overflow(a, b, &sum) != (exact < -2147483648ll || exact > 2147483647)) reach_error();
  if (__builtin_add_overflow_p(a, b, (unsigned short)0) != (exact < 0 || exact > 65535)) reach_error();
  if (!__builtin_sub_overflow(a, b, &difference) && difference != a - b) reach_error();
  if (__builtin_add_overflow(a, b, &low) == 0 && low != exact) reach_error();
  return 0;
}
