//~ UNSAFE
//~ run: verify -p valid-memsafety
//~ run: verify -p valid-memcleanup
typedef unsigned long size_t;
extern void *malloc(size_t);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };
int main(void) {
  struct node *list = 0;
  for (int i = 0; i < 3; i++) {
    struct node *fresh = malloc(sizeof *fresh);
    fresh->next = list;
    fresh->value = i;
    list = fresh;
  }
  while (list) {
    struct node *next = list->next;
    if (list->value != 1 || __VERIFIER_nondet_int()) free(list);
    list = next;
  }
  return 0;
}
