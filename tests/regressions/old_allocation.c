// A pointer to an allocation of an earlier round: the state that stands for all states at the loop head does not have that object. Rounds that are assumed
// to go well once excluded it, so nothing was looked at after the second round, and induction called this proved.
//~ UNSAFE
//~ run: verify --engine induction
//~ run: verify --engine induction -DALLOCA
//~ run: verify --engine induction -DFREED
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
int main(void) {
  int *q = 0;
  unsigned n = 0;
  while (__VERIFIER_nondet_int()) {
    if (q == 0) {
      if (n != 0) return 0;
    } else {
#if defined FREED
      free(q);
#else
      *q = 1;
#endif
    }
    if (n > 4) reach_error();
#if defined ALLOCA
    q = __builtin_alloca(sizeof *q);
#else
    q = malloc(sizeof *q);
#endif
    n++;
  }
  return 0;
}
