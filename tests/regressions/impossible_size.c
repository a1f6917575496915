// An allocation of that many bytes fails, which is not modelled: saying `true` was wrong, and the opposite an internal error.
//~ UNKNOWN!
//~ run: verify -DSIZE=-4UL
//~ run: verify -DSIZE=-4UL -DNONE
//~ run: verify -DSIZE=1UL<<31 --data-model ilp32
//~ SAFE
//~ run: verify -DSIZE=__VERIFIER_nondet_uint()%1000+1
void *malloc(__SIZE_TYPE__);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  void *p = malloc(SIZE);
#ifdef NONE
  if (p) reach_error();
#else
  if (!p) reach_error();
#endif
  return 0;
}
