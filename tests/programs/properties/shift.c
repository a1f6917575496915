//~ run: replay --quiet --inputs 1,32 -p shift-range
//~ run: replay --quiet --inputs 1,31 -p shift-range
//~ run: replay --quiet --inputs 1,-1 -p shift-range
//~ run: replay --quiet --inputs 1,33
//~ run: replay --quiet --inputs -8,1 -p shift-range -p no-overflow
int main(void) { int __VERIFIER_nondet_int(void); int x = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int(); return (x << n) == 2; }
