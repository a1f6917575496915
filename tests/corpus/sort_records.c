// Sorts records by the qsort of the library and finds one by bsearch.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct employee {
  int id;
  char grade;
};

static int by_id(const void *a, const void *b) {
  const struct employee *x = a, *y = b;
#ifdef BUG
  return x->id < y->id;
#else
  return (x->id > y->id) - (x->id < y->id);
#endif
}

int main(void) {
  struct employee staff[3];
  memset(staff, 0, sizeof staff);
  for (int i = 0; i < 3; i++) {
    staff[i].id = __VERIFIER_nondet_int();
    staff[i].grade = (char)('a' + i);
  }
  struct employee wanted = {.id = staff[1].id, .grade = 0};
  qsort(staff, 3, sizeof staff[0], by_id);
  for (int i = 1; i < 3; i++)
    assert(staff[i - 1].id <= staff[i].id);
  struct employee *found = bsearch(&wanted, staff, 3, sizeof staff[0], by_id);
  assert(found != NULL && found->id == wanted.id);
  return 0;
}
