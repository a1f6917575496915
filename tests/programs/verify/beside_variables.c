//~ SAFE
//~ run: verify -p valid-memsafety --data-model ilp32
//~ UNSAFE
//~ run: verify -p valid-memsafety --data-model ilp32 -DBUG=1
//~ run: verify -p valid-memsafety --data-model ilp32 -DBUG=2
// A container is computed from a member that is in none: memory beside a variable is read, not beside an allocation.
extern int __VERIFIER_nondet_int(void);
struct links { struct links *next; };
struct node { int value; struct links links; };
struct links list = {&list};

int value_of(struct links *links) {
#if BUG != 1
  if (links == &list) return 0;
#endif
  return ((struct node *)((char *)links - sizeof(int)))->value;
}

int main(void) {
  struct node node = {7, {&list}};
  int numbers[3] = {1, 2, 3};
  int *at = numbers;
  if (__VERIFIER_nondet_int() == 3) list.next = &node.links;
#if BUG == 2
  at = at + 3;
#endif
  return value_of(list.next) + *at;
}
