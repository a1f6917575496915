//~ SAFE
//~ run: verify
// Sorts three numbers with three compare-and-swap steps. One comparison is the wrong way round.
void swap(int *a, int *b) {
  int t = *a;
  *a = *b;
  *b = t;
}

extern int __VERIFIER_nondet_int(void);

int main(void) {
  int a = __VERIFIER_nondet_int();
  int b = __VERIFIER_nondet_int();
  int c = __VERIFIER_nondet_int();
  if (a > b) swap(&a, &b);
  if (b > c) swap(&b, &c);
  if (a > b) swap(&a, &b);
  //@ assert a <= b && b <= c;
  return 0;
}
