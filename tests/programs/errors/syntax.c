//~ run: check
int a[3 = { 1, 2 };
int f(int x { return x; }
int g(void) {
  if (1 { return 2; }
  for (int i = 0; i < 3) ;
  int 3x;
  return 1 +;
}
int fine(void) { return later(1); }
}
char *open = "never closed;
int last = ;
