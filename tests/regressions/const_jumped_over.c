// An object whose declaration is jumped over exists without a value, and is `const` all the same: writing it is undefined. Once called a violation.
//~ UNKNOWN!
//~ run: verify -DINTO
//~ run: verify -DSWITCH
//~ run: verify -DFORWARD
//~ run: verify -DARRAY
//~ run: verify -DMEMBER
//~ run: verify -DLOOP
//~ run: verify --engine bmc -DINTO
//~ run: verify --engine bmc -DSWITCH
//~ run: verify --engine bmc -DLOOP
//~ UNSAFE
//~ run: verify -DOTHER_MEMBER
//~ SAFE
//~ run: verify -DDECLARED_AFTERWARDS
//~ run: verify -DAGAIN
//~ run: verify --engine bmc -DAGAIN
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct pair {
  const int c;
  int v;
};
int main(void) {
#if defined INTO
  goto in;
  {
    const int x = 3;
  in:
    *(int *)&x = 4;
    if (x == 4) reach_error();
  }
#elif defined SWITCH
  switch (__VERIFIER_nondet_int()) {
    const int x = 3;
  case 1:
    *(int *)&x = 4;
    if (x == 4) reach_error();
  }
#elif defined FORWARD
  goto in;
  const int x = 3;
in:
  *(int *)&x = 4;
  if (x == 4) reach_error();
#elif defined ARRAY
  goto in;
  const int x[2] = {3};
in:
  *(int *)x = 4;
  if (x[0] == 4) reach_error();
#elif defined MEMBER || defined OTHER_MEMBER
  goto in;
  struct pair x = {3, 3};
in:
#ifdef MEMBER
  *(int *)&x.c = 4;
  if (x.c == 4) reach_error();
#else
  *(int *)&x.v = 4;
  if (x.v == 4) reach_error();
#endif
#elif defined LOOP
  for (int i = 0; i < 3; i++) {
    if (i == 1) goto in;
    const int x = i;
  in:
    if (i == 1) {
      *(int *)&x = 4;
      if (x == 4) reach_error();
    }
  }
#elif defined DECLARED_AFTERWARDS
  goto in;
  {
    int y;
  in:
    y = 2;
    const int x = y;
    const int *p = &x;
    if (*p != 2) reach_error();
  }
#else
  int i = 0;
again:;
  const int x = i;
  const int *p = &x;
  if (*p != i) reach_error();
  if (++i < 3) goto again;
#endif
  return 0;
}
