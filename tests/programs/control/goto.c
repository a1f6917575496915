//~ run: replay --quiet
//~ run: show cfa
//~ gcc
int printf(const char *, ...);
int main(void) {
  int n = 0;
  goto inside;
  while (n < 3) {
    int fresh = 100;
    printf("%d ", fresh);
inside:
    fresh = n++;
    if (fresh == 1) goto again;
    continue;
again:
    printf("again ");
  }
  {
    int x = 5;
  back:
    if (x-- > 0 && n < 10) { n += 2; goto back; }
  }
  if (0) { dead: n++; }
  if (n < 20) { n = 30; goto dead; }
  printf("%d\n", n);
  return 0;
}
