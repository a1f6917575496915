//~ run: replay --quiet --inputs 5
//~ run: replay --quiet --inputs -1
//~ run: replay --quiet --inputs 4
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a[5] = { 1, 2, 3, 4, 5 };
  int i = __VERIFIER_nondet_int();
  int *end = a + 5;
  return a[i] == *(end - 1) ? 0 : 1;
}
