// A variable that is declared again on one of two ways back to a loop head is a new object there; once a wrong `true` at bound 0.
//~ UNSAFE
//~ run: verify
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct S { int v; };
int main(void) {
  int c = __VERIFIER_nondet_int(), tries = 0;
  while (1) {
    struct S y, *p = &y;
    p->v = tries + 10;
    if (tries == 0 && c) { tries++; continue; }
    struct S z = y;
    if (c && z.v == 11) reach_error();
    break;
  }
}
