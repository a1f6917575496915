// What recursion does to variables of its caller and to globals: contracts speak of what parameters point to, and of what was before.
//~ SAFE
//~ run: verify --engine induction
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int calls;
void count(int *x, int n) {
  calls++;
  if (*x >= n) return;
  *x = *x + 1;
  count(x, n);
}
int main(void) {
  int x = 0, n = __VERIFIER_nondet_int();
  if (n < 0 || n > 100000) return 0;
  count(&x, n);
  if (x != n || calls != n + 1) reach_error();
  return 0;
}
