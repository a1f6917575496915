// Pointers, a heap list and recursion: the loop stops one element too early.
//~ UNSAFE
//~ run: localize
typedef unsigned long size_t;
void *malloc(size_t size);
extern unsigned char __VERIFIER_nondet_uchar(void);
struct node {
  int value;
  struct node *next;
};
struct node *push(struct node *list, int value) {
  struct node *node = malloc(sizeof(struct node));
  node->value = value;
  node->next = list;
  return node;
}
int sum(struct node *list) {
  if (list->next == 0)
    return 0;
  return list->value + sum(list->next);
}
int main(void) {
  int a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar();
  struct node *list = push(push(0, a), b);
  int total = sum(list);
  //@ assert total == a + b;
  return 0;
}
