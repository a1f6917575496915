// main calls itself.
//~ UNSAFE
//~ run: verify --engine induction --timeout 20
//~ run: verify
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int level;
int main(void) {
  level++;
  if (level == 4) reach_error();
  if (__VERIFIER_nondet_int()) main();
  return 0;
}
