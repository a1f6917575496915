//~ run: replay --quiet --inputs 0
//~ run: replay --quiet --inputs 0 -p no-overflow
//~ run: replay --quiet --inputs 0 --entry rest
//~ run: replay --quiet --inputs 0 --entry real
//~ run: replay --quiet --inputs 0 --entry unused
extern int __VERIFIER_nondet_int(void);
int main(void) { return 10 / __VERIFIER_nondet_int(); }
int rest(int n) { return 10 % n; }
int real(int n) { return 10 / (double)n > 1e300; }
int unused(int n) { 1 / n; return 0; }
