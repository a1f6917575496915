// The label ERROR is a place that must not be reached, if that is asked; otherwise it is a label like any other.
//~ UNSAFE
//~ run: verify -p unreach-label
//~ SAFE
//~ run: verify
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 3) goto ERROR;
  return 0;
ERROR:
  return 1;
}
