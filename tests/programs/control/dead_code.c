//~ run: show cfa
// Code that nothing leads to has no edges, but its labels can be jumped to.
int f(int x) {
  return x;
  x = 1;
  while (x) { inner: x--; }
  if (x == 5) goto inner;
  return 2;
}
int g(int x) {
  switch (x) { int y; x = 7; case 1: y = 2; return y; }
  for (;;) ;
  return 0;
}
