//~ run: replay
#include <stdlib.h>
struct node { int v; struct node *next; };
int main(void) {
  struct node *n = malloc(sizeof *n);
  n->v = 1;
  n->next = n;
  free(n);
  return n->next->v;
}
