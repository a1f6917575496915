//~ SAFE
//~ run: verify --format gcc --entry fine
//~ run: explain --format gcc --entry fine
//~ UNSAFE
//~ run: verify --format gcc --entry several --all --unwind 2
//~ run: minimize --format gcc --entry slow --unwind 2
//~ UNKNOWN!
//~ run: verify --format gcc --entry odd
extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned outside(void);

void fine(void) {
  unsigned a = outside();
  //@ assert a / 2 <= a;
}

void several(void) {
  unsigned a = __VERIFIER_nondet_uint();
  //@ assert a != 7;
  for (unsigned i = 0; i < a; i++) {
    //@ assert i < a;
  }
  //@ assert a != 1;
}

void slow(void) {
  unsigned a = __VERIFIER_nondet_uint(), i = 0;
  while (i < a)
    i++;
  //@ assert i != 5;
}

void odd(void) {
  __asm__("nop");
  //@ assert 0 == 0;
}
