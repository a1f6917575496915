//~ run: replay --quiet
//~ gcc
int printf(const char *, ...);
static float third(void) { return 1.0f / 3; }
int main(void) {
  float f = 0.1f; double d = 0.1; long double x = 0.1L;
  printf("%.9g %.17g %.20Lg\n", f, d, x);
  printf("%d %d %d %d\n", f == 0.1, f == 0.1f, (float)d == f, d == (double)x);
  printf("%.9g %.17g\n", third(), third() * 3.0);
  f += 1; d -= f; x *= d; f++; d--; printf("%.9g %.17g %.20Lg\n", f, d, x);
  printf("%d %d %ld %u\n", (int)-1.9f, (char)65.7, (long)1e15, (unsigned)3.9e9);
  printf("%.1f %.1f %.9g\n", (double)-1, (float)4000000000u, (float)0xffffffffffffffffull);
  printf("%.20Lg %.20Lg\n", (long double)0xffffffffffffffffull, (long double)-1);
  printf("%d %d %d %d\n", 0.0 == -0.0, !0.5, 0.5 && 1, (_Bool)0.1f);
  double zero = 0, inf = 1 / zero, nan = zero / zero;
  printf("%d %d %d %d %d %d\n", inf > 1e308, nan == nan, nan != nan, nan < 1, !(nan >= 1), -inf < inf);
  printf("%g %g %g %g\n", 1e308 * 10, -1e308 * 10, 5e-324 / 2, 1e-320);
  printf("%d\n", 5 / 2 * 2.0 == 4 && 5 / 2.0 * 2 == 5);
  int i = 7; i /= 2.5; printf("%d\n", i); i *= 1.9f; printf("%d\n", i);
  printf("%d %d\n", 16777216.0f + 1.0f == 16777216.0f, (float)16777217 == 16777216);
  printf("%.17g %.17g\n", 0x1.fffffffffffffp1023, 4.9406564584124654e-324);
  return (int)(d * 100) & 0x7f;
}
