//~ run: replay --quiet
//~ gcc
#include <stdio.h>
#include <stdlib.h>
#include <limits.h>
#include <math.h>
int main(void) {
  char *end;
  printf("%ld ", strtol("  -42xyz", &end, 10)); printf("%s\n", end);
  printf("%ld %ld %ld %lu\n", strtol("0x1F", 0, 0), strtol("077", 0, 0), strtol("zz", 0, 36), strtoul("-1", 0, 10));
  printf("%ld ", strtol("99999999999999999999x", &end, 10)); printf("%s\n", end);
  printf("%d %ld %f ", atoi("17 "), atol("-9"), strtod("1.5e2!", &end)); printf("%s\n", end);
  printf("%d %ld %lld\n", abs(-5), labs(-6L), llabs(-7LL));
  printf("%g %g %g %g %g\n", sqrt(2.25), floor(-1.5), ceil(1.2), fabs(-3.5), fmod(7.5, 2));
  printf("%g %g %d %d\n", trunc(-1.7), round(2.5), isnan(0.0 / 0.0) != 0, isinf(1 / 0.0) != 0);
  int i, j; char w[8]; printf("%d ", sscanf("12 abc 0x1f", "%d %7s %i", &i, w, &j)); printf("%d %s %d\n", i, w, j);
  printf("%d %d\n", INT_MAX + 1 < 0, RAND_MAX > 0);
  exit(3);
}
