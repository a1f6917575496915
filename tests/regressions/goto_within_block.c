// A jump back over a declaration in the same block does not end the lifetime of its variable; once called a dangling pointer.
//~ SAFE
//~ run: verify
//~ run: verify -p valid-deref
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int k = 0, *p = 0;
again:
  k++;
  int e = k;
  if (p && *p != k) reach_error();
  p = &e;
  if (k < 3 && (__VERIFIER_nondet_int() & 1)) goto again;
  if (e != k || e > 3) reach_error();
  return 0;
}
