//~ run: check
//~ run: replay --quiet
// What a compiler warns about is accepted with a warning.
int main(void) {
  int x = 3;
  unsigned *u = &x;
  int *p = (long)&x;
  long n = &x;
  void *v = p;
  int **pp = v;
  char *c = u;
  if (p == n) x++;
  if (u > p) x++;
  return 1 ? v == p : *pp == c;
}
