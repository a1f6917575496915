// A variable-length array of a negative length was an object of nearly all memory.
//~ UNKNOWN!
//~ run: verify -p unreach-call -p valid-deref
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n >= 0) return 0;
  char text[n];
  text[100] = 1;
  return 0;
}
