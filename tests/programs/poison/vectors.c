//~ run: check
//~ run: replay --inputs 0
//~ run: replay --inputs 1
typedef int v4 __attribute__((vector_size(16)));
extern int __VERIFIER_nondet_int(void);
static int sum(v4 a) { return a[0] + a[1]; }
int main(void) {
  if (__VERIFIER_nondet_int()) { v4 x = { 1, 2, 3, 4 }; return sum(x); }
  return 0;
}
