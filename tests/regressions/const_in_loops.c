// Each round of a loop has a `const` object of its own, which is written while it is initialized and read-only afterwards.
//~ UNKNOWN!
//~ run: verify --engine bmc --unwind 3 -DWRITE
//~ run: verify --engine induction -DWRITE
//~ run: verify --engine induction -DSKIPPED
//~ run: verify --engine induction -DLITERAL
//~ run: verify --engine induction -DENTERED
//~ SAFE
//~ run: verify
//~ run: verify --engine induction
//~ run: verify -DMEMBERS
//~ run: verify --engine induction -DMEMBERS
//~ run: verify --engine bmc --unwind 3 -DMEMBERS
//~ UNSAFE
//~ run: verify -DNEXT
//~ run: verify --engine induction -DNEXT
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct pair {
  const int c;
  int v;
};
int main(void) {
#if defined WRITE
  while (__VERIFIER_nondet_int()) {
    const int x = __VERIFIER_nondet_int();
    if (x == 7) continue;
    int *p = (int *)&x;
    if (x == 5) *p = 6;
    if (x == 6 && *p != 6) reach_error();
  }
#elif defined SKIPPED
  int i = 0;
  while (1) {
    if (i) goto in;
    const int x = 3;
  in:
    if (i) {
      *(int *)&x = 4;
      if (x != 4) reach_error();
    }
    i = 1;
  }
#elif defined LITERAL
  const int *last = 0;
again:
  if (last) *(int *)last = 4;
  last = &(const int){3};
  if (*last != 3) reach_error();
  if (__VERIFIER_nondet_int()) goto again;
#elif defined ENTERED
  int started = 0;
  goto in;
again:;
  const int x = 3;
in:
  if (started) *(int *)&x = 4;
  started = 1;
  if (__VERIFIER_nondet_int()) goto again;
#elif defined MEMBERS
  unsigned i = 0;
  while (__VERIFIER_nondet_int()) {
    struct pair x = {i, i};
    struct pair *p = &x;
    if (i == 9) goto next;
    p->v = 5;
    if (p->v != 5 || p->c != x.c) reach_error();
  next:
    i++;
  }
#elif defined NEXT
  int seen = 0;
  while (__VERIFIER_nondet_int()) {
    const int x = seen;
    const int *p = &x;
    if (*p == 2) reach_error();
    seen++;
  }
#else
  while (__VERIFIER_nondet_int()) {
    const int x = __VERIFIER_nondet_int();
    const int *p = &x;
    if (*p == 7) continue;
    if (*p != x) reach_error();
  }
#endif
  return 0;
}
