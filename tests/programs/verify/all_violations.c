//~ UNSAFE
//~ run: verify --all
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  //@ assert x != 3;
  //@ assert x * 2 != 7;
  if (x == 5) {
    //@ assert x < 5;
  }
  return 0;
}
