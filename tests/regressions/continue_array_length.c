// A variable-length array of an earlier round is gone, and the one of this round has its own length.
//~ UNSAFE
//~ run: verify -p valid-deref
//~ SAFE
//~ run: verify -DLIVE
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int c = __VERIFIER_nondet_int(), n = 0, *q = 0;
  do {
    int a[n + 1];
    a[n] = n;
    if (n == 0 && c) { q = a; n++; continue; }
#ifndef LIVE
    if (c && q && q[0] == 77) reach_error();
#endif
    if (c && a[n] != 1) reach_error();
    break;
  } while (1);
  return 0;
}
