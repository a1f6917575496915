// Verdicts that do not depend on where objects lie stay: distinct live objects, null, addresses kept in integers and bytes.
//~ SAFE
//~ run: verify
extern void reach_error(void);
int x, y, *from = &x, *to;
int main(void) {
  unsigned long n = (unsigned long)&x;
  int *p = (int *)n, *q = (int *)((unsigned long)&y + 0);
  if (p == q || &x == &y || (long)&x == 0) reach_error();
  *p = 3;
  *q = 4;
  char *d = (char *)&to, *s = (char *)&from;
  for (unsigned i = 0; i < sizeof to; i++) d[i] = s[i];
  *to = 5;
  if (x != 5 || y != 4) reach_error();
  return 0;
}
