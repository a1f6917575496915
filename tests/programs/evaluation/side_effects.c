//~ run: replay --quiet
//~ gcc
int printf(const char *, ...);
static int a[4] = { 10, 20, 30, 40 }, n;
static int *at(int i) { n++; return &a[i]; }
struct s { int x; struct { int y[2]; } in; };
static struct s make(int v) { struct s s = { v, { { v + 1, v + 2 } } }; return s; }
int main(void) {
  int i = 0, *p = a, x, y, z;
  x = i++ + 5; y = ++i * 2; z = i-- - 1; printf("%d %d %d %d\n", x, y, z, i);
  *at(1) += 5; printf("%d %d\n", a[1], n);
  (*at(2))++; printf("%d %d\n", a[2], n);
  x = *p++; y = *++p; z = (*p)++; printf("%d %d %d %d\n", x, y, z, *p);
  x = (i = 3, i + 1); printf("%d %d\n", x, i);
  x = y = z = 9; printf("%d\n", x + y + z);
  x = i ? 1 : (i = 100); printf("%d %d\n", x, i);
  x = (i > 2) + (i > 5) * 2; printf("%d\n", x);
  x = i ?: 77; y = 0 ?: 77; printf("%d %d\n", x, y);
  printf("%d %d\n", make(5).in.y[1], (make(7)).x);
  x = ({ int t = i * 2; t += 1; t; }); printf("%d\n", x);
  unsigned char c = 255; x = c++; printf("%d %d\n", x, c);
  a[i = 1] = x + 6; printf("%d\n", a[1]);
  i = 5; x = sizeof(i++); printf("%d\n", x);
  x = 0; int k = 3; k <<= k; k ^= 1; k %= 7; k |= 8; printf("%d\n", k);
  p = a; p += 2; p -= 1; x = p - a; printf("%d %d\n", x, *(p - 1));
  if ((x = 4) && (y = 0) || (z = 6)) printf("%d %d %d\n", x, y, z);
  for (i = 0, x = 10; i < x; i++, x--) ; printf("%d %d\n", i, x);
  return !!p + -~x;
}
