// An array that is one element too short: its declaration is to blame, not the access.
//~ UNSAFE
//~ run: localize --tests tests/programs/localize/limits.csv
#include <stdio.h>
#include <stdlib.h>
#define STEP 3
int limits[3];

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 0;
  for (int i = 0; i < 4; i++)
    limits[i] = i * STEP;
  if (n >= 0 && n < 4)
    printf("%d\n", limits[n]);
  return 0;
}
