// Once "call through a type that it does not have": a function with the name of an intrinsic that is called before it is defined.
//~ UNSAFE
//~ run: verify
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  __VERIFIER_assert(x != 7);
}
void __VERIFIER_assert(int c) {
  if (!c)
    reach_error();
}
