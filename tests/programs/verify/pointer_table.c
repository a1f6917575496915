// A large table of pointers: what it holds is reachable, what was overwritten is lost.
//~ SAFE
//~ run: verify --show-steps 6 -p valid-memtrack
//~ UNSAFE
//~ run: verify --show-steps 6 -p valid-memtrack -DBUG=1
void *malloc(unsigned long);
extern unsigned __VERIFIER_nondet_uint(void);
int *table[300];
int main(void) {
  unsigned i = __VERIFIER_nondet_uint() % 300, j = __VERIFIER_nondet_uint() % 300;
#if BUG != 1
  if (i == j) return 0;
#endif
  table[i] = malloc(sizeof(int));
  table[j] = malloc(sizeof(int));
  return 0;
}
