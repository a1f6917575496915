// An object that is declared `const` and defined elsewhere is `const` there; once it could be written.
//~ UNKNOWN!
//~ run: verify -p unreach-call
//~ run: verify -p unreach-call --engine bmc
//~ UNSAFE
//~ run: verify -DREAD
extern void reach_error(void);
extern const int x;
int main(void) {
#ifndef READ
  *(int *)&x = 4;
#endif
  if (x == 4) reach_error();
  return 0;
}
