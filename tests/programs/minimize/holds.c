// There is nothing to minimize.
//~ SAFE
//~ run: minimize
//~ run: minimize --inputs 5
//~ UNSAFE
//~ run: minimize --unwind 2 -D LOOP
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int x = __VERIFIER_nondet_int();
#ifdef LOOP
  for (int i = 0; i < x; i++) {
    if (i == 100) {
      //@ assert i < x;
      //@ assert x < 1000 || x > 2000;
    }
  }
#endif
  //@ assert x == x;
  return 0;
}
