// Elements of a variable-length array may have `const` members; once they could be written. The other members can be.
//~ UNKNOWN!
//~ run: verify -DMEMBER
//~ run: verify -DINNER
//~ run: verify -DCLEAR
//~ run: verify -DWHOLE
//~ run: verify -DTYPEOF
//~ run: verify --engine bmc -DMEMBER
//~ UNSAFE
//~ run: verify -DOTHER
//~ run: verify --engine bmc -DOTHER
//~ run: verify -DALLOCA
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *memset(void *, int, unsigned long);
struct pair {
  const int c;
  int v;
};
struct outer {
  struct pair inner;
};
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 2 || n > 4) return 0;
#if defined MEMBER
  struct pair a[n];
  *(int *)&a[1].c = 4;
  if (a[1].c == 4) reach_error();
#elif defined INNER
  struct outer a[n][2];
  *(int *)&a[1][1].inner.c = 4;
  if (a[1][1].inner.c == 4) reach_error();
#elif defined CLEAR
  struct pair a[n];
  memset(a, 0, sizeof a);
  if (a[1].c == 0) reach_error();
#elif defined WHOLE
  const struct pair a[n];
  *(int *)&a[1].v = 4;
  if (a[1].v == 4) reach_error();
#elif defined TYPEOF
  const int a[n];
  __typeof__(a[0]) x = 3;
  *(int *)&x = 4;
  if (x == 4) reach_error();
#elif defined OTHER
  struct pair a[n];
  a[1].v = 4;
  if (a[1].v == 4) reach_error();
#else
  struct pair *a = __builtin_alloca(n * sizeof *a);
  *(int *)&a[1].c = 4;
  if (a[1].c == 4) reach_error();
#endif
  return 0;
}
