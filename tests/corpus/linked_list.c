// A sorted singly linked list: insert, remove, free.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int key;
  struct node *next;
};

static void insert(struct node **list, int key) {
  while (*list && (*list)->key < key)
    list = &(*list)->next;
  struct node *n = malloc(sizeof *n);
  if (!n)
    exit(1);
  n->key = key;
  n->next = *list;
  *list = n;
}

static int remove_key(struct node **list, int key) {
  for (; *list; list = &(*list)->next) {
    if ((*list)->key == key) {
      struct node *gone = *list;
#ifdef BUG
      free(gone);
      *list = gone->next;
#else
      *list = gone->next;
      free(gone);
#endif
      return 1;
    }
  }
  return 0;
}

static void free_list(struct node *list) {
  while (list) {
    struct node *next = list->next;
    free(list);
    list = next;
  }
}

int main(void) {
  struct node *list = NULL;
  for (int i = 0; i < 2; i++)
    insert(&list, __VERIFIER_nondet_int());
  int removed = remove_key(&list, __VERIFIER_nondet_int());
  int length = 0;
  for (struct node *n = list; n; n = n->next) {
    length++;
    if (n->next)
      assert(n->key <= n->next->key);
  }
  assert(length == 2 - removed);
  free_list(list);
  return 0;
}
