extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}

int main(void) {
  int x = __VERIFIER_nondet_int();
#ifdef BUG
  if (x == 42)
    reach_error();
#else
  if (x > 5 && x < 5)
    reach_error();
#endif
  return 0;
}
