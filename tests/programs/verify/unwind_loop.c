//~ SAFE
//~ run: verify --unwind-loop 11=3 --unwind-loop count=2
//~ run: verify --unwind-loop unwind_loop.c:11=20 --unwind-loop count=30
//~ run: verify --unwind-loop tests/programs/verify/unwind_loop.c:11=4 --unwind-loop count=4
//~ run: verify --unwind-loop 11=5 --unwind-loop count=3
//~ run: verify --unwind-loop 12=3
//~ run: verify --unwind-loop other.c:11=3
//~ run: verify --unwind-loop 11=many
static int count(int n) { return n ? 1 + count(n - 1) : 0; }
static int rounds(int n) {
  int k = 0; while (k < n)
    k++;
  return k;
}
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 5) return 0;
  //@ assert rounds(n) == n;
  //@ assert count(n % 5) == n % 5;
  return 0;
}
