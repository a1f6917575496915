//~ run: replay --inputs 1
//~ run: replay
extern int __VERIFIER_nondet_int(void);
int main(void) { int a = __VERIFIER_nondet_int(); int b = __VERIFIER_nondet_int(); return a + b; }
