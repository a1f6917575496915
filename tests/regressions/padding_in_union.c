// The padding of a structure in a union is unspecified after a member was written.
//~ UNKNOWN!
//~ run: verify
extern void reach_error(void);
union u { struct { char c; int i; } s; unsigned char b[8]; };
int main(void) {
  union u u;
  for (int i = 0; i < 8; i++) u.b[i] = 7;
  u.s.c = 1;
  if (u.b[2] != 7) reach_error();
  return 0;
}
