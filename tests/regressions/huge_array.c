// Once an internal error: the run that was found needed more memory than a replay has.
//~ UNSAFE
//~ run: verify
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned size = __VERIFIER_nondet_uint();
  if (size == 0) return 0;
  int array[size];
  array[0] = 1;
  //@ assert array[0] == 0;
  return 0;
}
