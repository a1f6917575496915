// Nothing to localize: the program holds; no run reaches the assertion; the bound is too small.
//~ SAFE
//~ run: localize
//~ run: localize -DUNREACHED
//~ UNSAFE
//~ run: localize -DDEEP --unwind 2
//~ run: localize -DCONSTANT
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
#if defined UNREACHED
  if (x > 5 && x < 3) {
    //@ assert x == 0;
  }
#elif defined DEEP
  int n = 0;
  while (n < 10 && x != n) n++;
  //@ assert n < 10;
#elif defined CONSTANT
  int y = 7;
  //@ assert y == 8;
#else
  //@ assert x == x;
#endif
  return 0;
}
