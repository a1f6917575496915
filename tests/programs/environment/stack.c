// A limit of the stack: the calls under way need it for their parameters and variables, and 16 bytes each.
//~ SAFE
//~ run: verify
//~ run: verify --stack-limit 1000 -DINPUT
//~ run: verify --stack-limit 100
//~ UNSAFE
//~ run: verify --stack-limit 99
//~ run: verify --stack-limit 100 -DINPUT
//~ run: verify --stack-limit 150 -DENDLESS
//~ run: replay --quiet --stack-limit 99
//~ UNKNOWN! how much a variable-length array takes
//~ run: verify --stack-limit 100000 -DLENGTH
//~ UNSAFE
//~ run: verify -p stack-limit
extern int __VERIFIER_nondet_int(void);
static int depth(int n) {
#ifndef ENDLESS
  if (n <= 0) return 0;
#endif
  int rest[2];
  rest[0] = depth(n - 1);
  return rest[0];
}
int main(void) {
#ifdef INPUT
  int n = __VERIFIER_nondet_int();
  if (n > 8) n = 8;
  depth(n);
#elif defined LENGTH
  int n = 3;
  char a[n];
  a[0] = 1;
  return a[0] - 1;
#else
  depth(2);
#endif
  return 0;
}
