// What is freed is read by the next statement; a list that is never built would hold as well, and is no repair.
//~ UNSAFE
//~ run: localize -p valid-deref -p valid-free
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

int main(void) {
  struct node *list = NULL;
  for (int i = 0; i < 3; i++) {
    struct node *node = malloc(sizeof *node);
    node->value = i;
    node->next = list;
    list = node;
  }
  while (list != NULL) {
    free(list);
    list = list->next;
  }
  return 0;
}
