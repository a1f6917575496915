// Once unknown, as if the verdict depended on the addresses of objects: with arbitrary addresses a test for null is not decided while unwinding, so the
// loop needs a larger bound there.
//~ SAFE
//~ run: verify
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { int key; struct node *next; };
int main(void) {
  struct node *a = malloc(sizeof *a), *list = a;
  a->key = __VERIFIER_nondet_int();
  a->next = NULL;
  if (a->key == 3) { list = a->next; free(a); }
  int length = 0;
  for (struct node *n = list; n; n = n->next) length++;
  assert(length <= 1);
  return 0;
}
