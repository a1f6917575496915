// Blocks of memory whose size is an input.
//~ SAFE
//~ run: verify --show-steps 6
//~ UNSAFE
//~ run: verify --show-steps 6 -DBUG=1
//~ run: verify --show-steps 6 -p valid-deref -DBUG=2
//~ run: verify --show-steps 6 -p valid-deref -DBUG=3
//~ run: verify --show-steps 6 -p valid-memsafety -DBUG=4
typedef unsigned long size_t;
void *malloc(size_t);
void *realloc(void *, size_t);
void free(void *);
void *memset(void *, int, size_t);
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
int memcmp(const void *, const void *, size_t);
void *memchr(const void *, int, size_t);
extern unsigned __VERIFIER_nondet_uint(void);
struct pair { int key; struct pair *next; };
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n > 8) return 0;
  char block[8] = "abcdefg", copy[8] = {0};
  memcpy(copy, block, n);
  int same = memcmp(copy, block, n), rest = n < 8 ? copy[n] : 0;
  //@ assert same == 0 && rest == 0;
  memmove(block + 1, block, n < 8 ? n : 7);
  //@ assert block[0] == 'a' && (n == 0 || block[1] == 'a');
  memset(copy, 'z', n);
  char *z = memchr(copy, 'z', 8);
  //@ assert (n == 0) == (z == 0);
  struct pair *list = malloc(2 * sizeof *list);
  list[0].key = 7;
  list[0].next = list;
  list[1].key = 9;
  list[1].next = 0;
  struct pair *old = list;
  list = realloc(list, 3 * sizeof *list);
  //@ assert list[0].key == 7 && list[1].key == 9 && list[1].next == 0;
#if BUG == 1
  //@ assert n != 5 || copy[4] != 'z';
#elif BUG == 2
  memset(copy + 3, 0, n);
#elif BUG == 3
  memcpy(block, block + 2, n);
#elif BUG == 4
  return list[0].next->key;
#endif
  free(list);
  return 0;
}
