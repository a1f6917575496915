//~ UNSAFE limit(9) + 1 is 10
//~ run: verify --format gcc
//~ run: minimize --format gcc
//~ run: explain --format gcc
//~ run: localize --format gcc
//~ run: replay --format gcc --inputs 9
//~ run: replay --format gcc --inputs 3
//~ run: replay --format gcc
//~ run: test --format gcc
//~ run: verify --format xml
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int limit(int x) {
  if (x > 9)
    x = 9;
  return x;
}
void check(int ok) {
  if (!ok)
    reach_error();
}
int main(void) {
  int b = limit(__VERIFIER_nondet_int()) + 1;
  check(b <= 9);
  return 0;
}
