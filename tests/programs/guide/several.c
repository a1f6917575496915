// Several faults.
//~ UNSAFE
//~ run: verify --all
extern int __VERIFIER_nondet_int(void);

int share(int sum, int count) { return sum / count; }

int last(const int *values, int count) { return values[count - 1]; }

int sign(int x) { return x < 0 ? -1 : x > 0; }

int main(void) {
  int values[4] = {1, 2, 3, 4};
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 4) return 0;
  int mean = share(10, n);
  return mean + last(values, n + 1) + sign(n);
}
