//~ run: replay --quiet --inputs 2147483647
//~ run: replay --quiet --inputs 2147483647 -p no-overflow
//~ run: replay --quiet --inputs -2147483648 -p no-overflow --entry negate
//~ run: replay --quiet --inputs -2147483648 -p no-overflow --entry divide
//~ run: replay --quiet --inputs 2147483647 -p no-overflow --entry narrow
//~ run: replay --quiet --inputs 2147483647 -p no-overflow --entry unsigned_wraps
//~ run: replay --quiet --inputs 2147483647 -p no-overflow --entry step
extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); return x + 1 < x; }
int negate(int x) { return -x; }
int divide(int x) { return x / -1; }
int narrow(int x) { short s = x; s++; signed char c = 127; c += 1; return s + c; }
int unsigned_wraps(unsigned x) { return x * 4 + 5; }
int step(int x) { int a[1] = { x }; a[0]++; return 0; }
