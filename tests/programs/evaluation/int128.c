//~ run: replay --quiet
//~ gcc
int printf(const char *, ...);
typedef __int128 wide; typedef unsigned __int128 uwide;
static void show(wide v) { printf("%016llx%016llx\n", (unsigned long long)(v >> 64), (unsigned long long)v); }
static wide power(wide b, int n) { wide r = 1; while (n--) r *= b; return r; }
int main(void) {
  wide a = power(10, 30), b = -a; uwide u = -1;
  show(a); show(b); show(a / 7); show(b / 7); show(b % 1000007); show(u / 3); show((wide)(u % 1000000007));
  show(a << 13); show(b >> 70); show((wide)(u >> 70)); show(a * b); show(~a & 0xffff); show(a ^ b); show(a + (a < b));
  printf("%d %d %d %d\n", a > b, (uwide)b > (uwide)a, b < 0, !a); printf("%.6e %.6e %.6Le\n", (double)a, (double)(uwide)b, (long double)b);
  show((wide)1e30); show((wide)-1.5L); show((wide)(uwide)3e38f); a++; b -= 2; show(a--); show(b); show((int)a); show((long)b);
  struct { wide w; char c; } s = { power(2, 100), 1 }; show(s.w); printf("%d %d\n", (int)sizeof s, (int)_Alignof(wide));
  switch (a) { case 1: return 1; default: break; }
  return (int)(a >> 96);
}
