// A table of more function pointers than are kept one by one; once a wrong claim of undefined behaviour.
//~ SAFE
//~ run: verify
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static int zero(int x) { return x; }
static int one(int x) { return x + 1; }
static int (*table[300])(int) = {
  [0 ... 149] = zero,
  [150 ... 299] = one,
};
int main(void) {
  int k = __VERIFIER_nondet_int();
  if (k < 0 || k >= 300) return 0;
  if (table[k](1) != 1 + (k >= 150)) reach_error();
  return 0;
}
