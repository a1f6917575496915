//~ UNSAFE
//~ run: verify
//~ run: verify -p valid-deref
extern int __VERIFIER_nondet_int(void);
int f(int x) { return x + 1; }
int g(int x) { return x * 2; }
int main(void) {
  int a[4] = {1, 2, 3, 4}, i = __VERIFIER_nondet_int();
  int (*h)(int) = i & 1 ? f : g;
  int *p = i & 2 ? &a[i & 3] : &i;
  *p = h(7);
  //@ assert a[3] != 8;
  return a[i & 7];
}
