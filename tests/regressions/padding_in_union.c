// Whether assigning a structure in a union copies its padding is open; storing to one of its members leaves the padding as it is.
//~ UNKNOWN!
//~ run: verify
//~ SAFE
//~ run: verify -DMEMBER
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct s { char c; int i; };
union u { struct s s; unsigned char b[8]; };
int main(void) {
  union u u;
  struct s s = {1, __VERIFIER_nondet_int()};
  for (int i = 0; i < 8; i++) u.b[i] = 7;
#ifdef MEMBER
  u.s.c = s.c;
#else
  u.s = s;
#endif
  if (u.b[2] != 7) reach_error();
  return 0;
}
