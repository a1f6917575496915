// A `const` member of a structure that is not `const` is taken for a `const` object: writing it is undefined. The other members can be written, and
// so can all of them in an allocation, which has no declared type.
//~ UNKNOWN!
//~ run: verify -DLOCAL
//~ run: verify -DGLOBAL
//~ run: verify -DNAMED
//~ run: verify -DINNER
//~ run: verify -DELEMENT
//~ run: verify -DCOPY
//~ run: verify -DPARAMETER
//~ run: verify -DLITERAL
//~ run: verify --engine bmc -DLOCAL
//~ run: verify --engine bmc -DGLOBAL
//~ run: verify --engine bmc -DELEMENT
//~ run: verify --engine bmc -DCOPY
//~ SAFE
//~ run: verify -DOTHERS
//~ run: verify --engine bmc -DOTHERS
//~ run: verify -DHEAP
//~ run: verify --engine bmc -DHEAP
//~ run: verify -DOUTSIDE
//~ UNSAFE
//~ run: verify -DOUTSIDE_WRITES
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *memcpy(void *, const void *, unsigned long);
extern void *malloc(unsigned long);
extern void outside(void *);
typedef const int number;
struct pair {
  int first;
  const int second;
};
struct named {
  char before;
  number field;
};
struct outer {
  int before;
  struct pair inner[2];
};
union mixed {
  const int fixed;
  int free;
};
struct bits {
  const int a : 3;
  int b : 5;
};
struct pair global = {3, 3};
static void parameter(struct pair p) {
  *(int *)&p.second = 4;
}
int main(void) {
#if defined LOCAL
  struct pair x = {3, 3};
  *(int *)&x.second = 4;
  if (x.second == 4) reach_error();
#elif defined GLOBAL
  *(int *)&global.second = 4;
  if (global.second == 4) reach_error();
#elif defined NAMED
  struct named x = {3, 3};
  *(int *)&x.field = 4;
  if (x.field == 4) reach_error();
#elif defined INNER
  struct outer x = {3, {{3, 3}, {3, 3}}};
  *(int *)&x.inner[1].second = 4;
  if (x.inner[1].second == 4) reach_error();
#elif defined ELEMENT
  struct pair x[3] = {{3, 3}, {3, 3}, {3, 3}};
  int i = __VERIFIER_nondet_int();
  if (i >= 0 && i < 6) ((int *)x)[i] = 4;
  if (i == 3) reach_error();
#elif defined COPY
  struct pair x = {3, 3}, y = {4, 4};
  memcpy(&x, &y, sizeof x);
  if (x.second == 4) reach_error();
#elif defined PARAMETER
  parameter(global);
#elif defined LITERAL
  struct pair *x = &(struct pair){3, 3};
  *(int *)&x->second = 4;
#elif defined OTHERS
  struct pair x[3] = {{3, 3}, {3, 3}, {3, 3}};
  int i = __VERIFIER_nondet_int();
  if (i >= 0 && i < 3) ((int *)x)[2 * i] = 4;
  for (int k = 0; k < 2; k++) {
    struct pair y = {k, k};
    struct pair *p = &y;
    p->first = 5;
    if (p->first != 5 || p->second != k) reach_error();
  }
  *(int *)&global = 7;
  union mixed u = {3};
  *&u.free = 4;
  struct bits b = {1, 2};
  struct bits *q = &b;
  q->b = 3;
  if (global.first != 7 || u.fixed != 4 || q->a != 1 || x[1].second != 3) reach_error();
#elif defined OUTSIDE
  struct pair x[2] = {{3, 3}, {3, 3}};
  outside(x);
  if (x[1].second != 3 || global.second != 3) reach_error();
#elif defined OUTSIDE_WRITES
  struct pair x[2] = {{3, 3}, {3, 3}};
  outside(x);
  if (x[1].first != 3) reach_error();
#else
  struct pair *x = malloc(sizeof *x);
  if (!x) return 0;
  *(int *)&x->second = 4;
  if (x->second != 4) reach_error();
#endif
  return 0;
}
