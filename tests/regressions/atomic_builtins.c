// Once unknown: in a program of one thread atomic operations are plain ones, whose arithmetic wraps.
//~ SAFE
//~ run: verify -p no-overflow -p unreach-call
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int(), before = x, wanted = 5;
  if (__sync_fetch_and_add(&x, 1) != before || (unsigned)x != before + 1u) reach_error();
  __atomic_store_n(&x, 4, 5);
  if (__atomic_compare_exchange_n(&x, &wanted, 6, 0, 5, 5) || wanted != 4) reach_error();
  if (!__sync_bool_compare_and_swap(&x, wanted, 7) || __atomic_load_n(&x, 0) != 7) reach_error();
  return 0;
}
