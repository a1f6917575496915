//~ UNSAFE
//~ run: verify --all
// Everything is unwound: what is not violated holds. Behind what is not supported nothing is known.
//~ run: verify --all -DASM
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
#ifdef ASM
  if (x == 4) __asm__("nop");
#endif
  //@ assert x != 3;
  for (int i = 0; i < 4; i++) {
    //@ assert i <= 3;
  }
  if (x * 2 == 7) __VERIFIER_error();
  return 0;
}
