//~ run: replay --quiet
//~ gcc
#include <stdio.h>
int main(void) {
  printf("%d|%5d|%-5d|%05d|%+d|% d|%.3d|%5.3d|%-8.3d|\n", 42, 42, 42, 42, 42, 42, 7, 7, 7);
  printf("%u %o %x %X %#x %#o %08.3x\n", 3000000000u, 8, 255, 255, 255, 8, 5);
  printf("%ld %lld %hd %hhd %zu %jd %td\n", -1L, 1LL << 40, (short)-2, (signed char)-3, (size_t)9, (long)5, (long)6);
  printf("%c|%3c|%-3c|%%|%s|%.2s|%6.2s|%-6s|\n", 'a', 'b', 'c', "str", "cut", "cut", "pad");
  printf("%f %.0f %.3f %10.2f|%-10.2f|%+.1f\n", 1.5, 2.5, 3.14159, 2.0, 2.0, 0.05);
  printf("%e %.2e %g %g %g %G\n", 12345.678, 0.00012, 100000.0, 1000000.0, 0.0001, 1e-10);
  printf("%*d|%-*d|%.*f\n", 6, 1, 6, 2, 2, 3.14159);
  printf("%f %f %f\n", 1.0 / 0.0, -1.0 / 0.0, 1e300);
  printf("%Lf %.20Lg\n", 1.25L, 0.1L);
  printf("%s\n", (char *)"x" ); printf("%p\n", (void *)0);
  int n; printf("count%n me\n", &n); printf("%d %d\n", n, printf("abc"));
  char b[10]; int k = snprintf(b, sizeof b, "%s-%d", "truncated", 5); printf("%s %d\n", b, k);
  sprintf(b, "%d", 12345); puts(b); putchar('z'); putchar('\n'); fputs("to stdout\n", stdout); fprintf(stdout, "%i\n", -0);
  fprintf(stderr, "not here\n");
  return 0;
}
