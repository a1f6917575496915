// An index and a division that nothing guards.
//~ UNSAFE
//~ run: localize -p div-by-zero
//~ run: localize -DINDEX -p valid-deref
extern int __VERIFIER_nondet_int(void);

static int shares[8];

static int share(int sum, int people) {
#ifdef INDEX
  shares[people] = sum;
  return sum;
#else
  return sum / people;
#endif
}

int main(void) {
  int sum = __VERIFIER_nondet_int();
  int people = __VERIFIER_nondet_int();
  return share(sum & 1023, people & 15) > 5;
}
