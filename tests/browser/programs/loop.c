// A run with calls and a loop, for pages.
//~ UNSAFE
//~ run: verify -p unreach-call --html /dev/null --format gcc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int limit = 3;

int clamp(int value, int most) {
  if (value > most)
    return most;
  return value;
}

int main(void) {
  int numbers[6];
  int sum = 0;
  int ignored = __VERIFIER_nondet_int();
  for (int i = 0; i < 6; i++) {
    numbers[i] = clamp(i * 2, limit);
    sum += numbers[i];
  }
  int extra = __VERIFIER_nondet_int();
  if (extra > 10 && extra < 20)
    sum += extra;
  if (sum > 30)
    reach_error();
  return ignored;
}
