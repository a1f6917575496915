// Once its witnesses were not confirmed, or had flaws: operations that macros put on one line were taken for others.
//~ UNSAFE
//~ run: verify
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
#define READ(v) v = __VERIFIER_nondet_int();
#define BOTH(a, b) do { READ(a) READ(b) if (a > 10) { a = 10; } } while (0)
#define ERR reach_error();
#define FAIL(a, b) if (a + b == 7) { if (a == 2) ERR }
int main(void) {
  int a, b, c, d; BOTH(a, b); BOTH(c, d); READ(a) READ(b)
  if (a == 1 && b == 6) ERR if (c == d) { FAIL(a, c) FAIL(b, d) }
  return 0;
}
