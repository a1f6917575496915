// Once its witnesses were not confirmed, or had flaws: operations that macros put on one line were taken for others.
//~ UNSAFE
//~ run: verify
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
#define RANGE(v, lo, hi) __VERIFIER_assume((v) >= (lo) && (v) <= (hi))
#define GET(v, lo, hi) int v = __VERIFIER_nondet_int(); RANGE(v, lo, hi)
#define assert_(c) do { if (!(c)) { reach_error(); } } while (0)
int a[4];
int main(void) {
  GET(i, 0, 3); GET(j, 0, 3); GET(k, 1, 2); a[i] = j; a[j] = k; assert_(a[0] != 1); assert_(a[i] + a[j] != 3);
  return 0;
}
