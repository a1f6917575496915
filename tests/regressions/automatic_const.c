// Writing an automatic `const` object is undefined; once called a violation, which compilers that rely on the value do not have.
//~ UNKNOWN!
//~ run: verify
//~ SAFE
//~ run: verify -DREAD
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  for (int i = 0; i < 2; i++) {
    const int x = __VERIFIER_nondet_int();
    int *p = (int *)&x;
#ifdef READ
    if (*p != x) reach_error();
#else
    *p = 6;
    if (x == 6) reach_error();
#endif
  }
  return 0;
}
