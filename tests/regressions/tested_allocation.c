// That an allocation is not null decides nothing about the loop; once that made every round free, and this ran out of time.
//~ SAFE
//~ run: verify --timeout 20
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void *malloc(unsigned long);
extern void free(void *);
struct node { int v; struct node *next; };
int main(void) {
  int k = __VERIFIER_nondet_int(), sum = 0;
  struct node *list = 0;
  if (k < 0 || k > 5) return 0;
  for (int i = 0; i < k; i++) {
    struct node *x = malloc(sizeof *x);
    if (!x) return 0;
    x->v = i;
    x->next = list;
    list = x;
  }
  while (list) {
    struct node *old = list;
    sum += list->v;
    list = list->next;
    free(old);
  }
  if (sum > 10) reach_error();
  return 0;
}
