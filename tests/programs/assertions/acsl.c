//~ run: replay --inputs 4
//~ run: replay --inputs 5
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int(), *p = &x;
  //@ assert x > 3;
  /*@ assert *p == x
        && p != 0; */
  /* @ assert 0; is just a comment */ // and so is //@ assert 0;
  if (x == 5)
    /*@ assert x < 5; */ ;
  return 0;
}
