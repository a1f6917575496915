//~ run: replay --inputs 3,1
//~ run: replay --inputs 3,200
//~ run: replay --inputs -1
//~ run: replay --inputs 12,200
//~ run: replay --quiet --inputs 12,200 -p no-overflow
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int main(void) {
  int x = __VERIFIER_nondet_int();
  __VERIFIER_assume(x > 0);
  unsigned char c = __VERIFIER_nondet_uchar();
  if (c > 100) {
    __VERIFIER_assert(x < 10);
    ERROR: reach_error();
  }
  return 0;
}
