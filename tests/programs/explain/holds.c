// There is nothing to explain.
//~ SAFE
//~ run: explain
//~ run: explain --inputs 5
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int x = __VERIFIER_nondet_int();
  //@ assert x == x;
  return 0;
}
