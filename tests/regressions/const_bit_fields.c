// A byte that a `const` bit-field shares with another bit-field cannot be written as a whole; the other bit-field can.
//~ UNKNOWN!
//~ run: verify -DBYTE
//~ run: verify --engine bmc -DBYTE
//~ run: verify -DMEMSET
//~ run: verify --engine bmc -DMEMSET
//~ run: verify -DELEMENT
//~ run: verify -DCAST
//~ run: verify --engine bmc -DCAST
//~ SAFE
//~ run: verify -DOTHER
//~ run: verify --engine bmc -DOTHER
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *memset(void *, int, unsigned long);
struct S {
  const unsigned a : 4;
  unsigned b : 4;
};
struct T {
  unsigned b : 2;
  unsigned a : 3;
};
int main(void) {
  struct S s = {1, 2};
  struct S many[2] = {{1, 2}, {3, 4}};
#if defined BYTE
  *(unsigned char *)&s = 0;
#elif defined MEMSET
  memset(&s, 0, 1);
#elif defined ELEMENT
  int i = __VERIFIER_nondet_int();
  if (i == 0 || i == 1)
    *(unsigned char *)&many[i] = 0;
  if (many[1].a == 0)
    reach_error();
#elif defined CAST
  ((struct T *)&s)->a = 0;
#elif defined OTHER
  s.b = 5;
  int i = __VERIFIER_nondet_int();
  if (i == 0 || i == 1)
    many[i].b = 7;
  if (s.b != 5 || many[1].a != 3 || many[0].a != 1)
    reach_error();
#endif
  if (s.a == 0)
    reach_error();
  return 0;
}
