// Binary search in a sorted table of names by number.
#include <assert.h>
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);

struct entry {
  int code;
  const char *name;
};

static const struct entry table[] = {
    {1, "EPERM"}, {2, "ENOENT"}, {4, "EINTR"}, {5, "EIO"}, {9, "EBADF"}, {12, "ENOMEM"}, {22, "EINVAL"},
};

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static const struct entry *lookup(int code) {
  size_t low = 0, high = COUNT(table);
#ifdef BUG
  while (low <= high) {
#else
  while (low < high) {
#endif
    size_t middle = (low + high) / 2;
    if (table[middle].code == code)
      return &table[middle];
    if (table[middle].code < code)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

int main(void) {
  int code = __VERIFIER_nondet_int();
  const struct entry *e = lookup(code);
  if (e)
    assert(e->code == code && e->name[0] == 'E');
  else
    for (size_t i = 0; i < COUNT(table); i++)
      assert(table[i].code != code);
  return 0;
}
