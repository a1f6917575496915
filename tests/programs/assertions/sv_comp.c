//~ run: replay --inputs 7
// The form that most tasks have: own assert, own assume, `abort` declared.
extern void abort(void);
extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((__nothrow__, __leaf__, __noreturn__));
void reach_error() { __assert_fail("0", "sv_comp.c", 5, "reach_error"); }
void assume_abort_if_not(int cond) { if (!cond) { abort(); } }
void __VERIFIER_assert(int cond) { if (!(cond)) { ERROR: { reach_error(); abort(); } } return; }
int main() {
  int n = __VERIFIER_nondet_int();
  assume_abort_if_not(n >= 0);
  __VERIFIER_assert(n != 7);
}
