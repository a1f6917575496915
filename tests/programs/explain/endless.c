// A program that never ends passes as long as its assertion holds: the closest passing run is the beginning of one.
//~ UNSAFE
//~ run: explain
//~ run: verify --all --unwind 2
extern int __VERIFIER_nondet_int(void);
extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
#define assert(e) ((e) ? (void)0 : __assert_fail(#e, __FILE__, __LINE__, __func__))
int main(void) {
  int n = 0;
  while (1) {
    int x = __VERIFIER_nondet_int();
    assert(n < 3);
    assert(n != 1 || x != 3);
    n = (n + 1) % 2;
  }
}
