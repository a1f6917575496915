//~ UNSAFE
//~ run: verify --all --unwind 3
//~ run: verify --all --unwind 3 -p no-overflow
// What is known about each assertion, also about those that no run reaches.
extern int __VERIFIER_nondet_int(void);
static int never_called(int x) {
  //@ assert x > 0;
  return x;
}
int main(void) {
  int n = __VERIFIER_nondet_int(), s = 0;
  while (s < n) {
    s++;
    //@ assert s < 5;
  }
  n = n + 1;
  //@ assert n != 3;
  if (s > 3) {
    //@ assert s != 7;
  }
  return never_called == 0;
}
