// A run of more than ten thousand steps, for pages.
//~ UNSAFE
//~ run: verify -p unreach-call --html /dev/null --format gcc
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int step = __VERIFIER_nondet_int();
  int total = 0, noise = 0;
  for (int i = 0; i < 2600; i++) {
    total += step;
    noise ^= i;
  }
  if (total == 5200)
    reach_error();
  return noise;
}
