// Once an internal error: what `realloc` moves without anybody having looked at it is still replayed from where it was.
//~ UNSAFE memory that nobody wrote holds any value
//~ run: verify
//~ run: verify -DEITHER
//~ run: minimize
void *malloc(unsigned long);
void *realloc(void *, unsigned long);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
#ifdef EITHER
  int first = __VERIFIER_nondet_int();
  char *a = malloc(2), *b = malloc(2);
  char *moved = realloc(first ? a : b, 4), *other = first ? b : a;
  if (moved[0] == 1 && moved[3] == 2 && other[0] == 3 && other[1] == 4) reach_error();
#else
  short *m = realloc(realloc(malloc(3), 4), 6);
  if (m[0] == 1 && m[1] == 0x203 && m[2] == 4) reach_error();
#endif
  return 0;
}
