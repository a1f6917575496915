// What is checked unless something is asked for: assertions, memory safety and division by zero, whatever is violated first. Not overflow, not leaks.
//~ UNSAFE
//~ run: verify -DUSE_AFTER_FREE
//~ run: verify -DOUT_OF_BOUNDS
//~ run: verify -DDIVISION
//~ run: verify -DNULL_POINTER
//~ run: verify -DDOUBLE_FREE
//~ run: verify -DASSERTION
//~ run: minimize -DOUT_OF_BOUNDS
//~ run: explain -DDIVISION
//~ run: localize --no-repair -DDIVISION
//~ run: replay --inputs 4 -DOUT_OF_BOUNDS
//~ run: verify --all -DDIVISION -DOUT_OF_BOUNDS
//~ run: verify -p all -DLEAK
//~ run: verify -p default -p valid-memcleanup -DLEAK
//~ run: verify -p all -DOVERFLOW
//~ UNKNOWN! the undefined behaviour is not asked about
//~ run: verify -p unreach-call -p assertion -DOUT_OF_BOUNDS
//~ run: verify -p unreach-call --json -DNULL_POINTER
//~ SAFE
//~ run: verify -DLEAK
//~ run: verify -DOVERFLOW
//~ run: verify
//~ run: minimize
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
int main(void) {
  int i = __VERIFIER_nondet_int();
  int *p = malloc(sizeof(int));
  int a[4] = {1, 2, 3, 4};
  *p = 1;
#ifdef DIVISION
  if (i >= 0 && i < 8) *p = 100 / (i - 3);
#endif
#ifdef OUT_OF_BOUNDS
  if (i >= 0 && i < 5) *p = a[i];
#endif
#ifdef NULL_POINTER
  int *q = i == 7 ? 0 : p;
  *q = 2;
#endif
#ifdef ASSERTION
  //@ assert i != 12;
#endif
#ifdef OVERFLOW
  i = i + 1;
#endif
#ifndef LEAK
  free(p);
#endif
#ifdef USE_AFTER_FREE
  return *p;
#endif
#ifdef DOUBLE_FREE
  if (i == 9) free(p);
#endif
  return a[0] - 1;
}
