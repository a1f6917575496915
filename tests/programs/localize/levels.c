// The body of a macro is wrong: it is repaired where it is defined.
//~ UNSAFE
//~ run: localize --tests tests/programs/localize/levels.csv
#include <stdio.h>
#include <stdlib.h>
#define FULL 10
#define IS_FULL(n) ((n) > FULL)

int main(int argc, char **argv) {
  int first = atoi(argv[1]), second = atoi(argv[2]);
  int full = 0;
  if (IS_FULL(first))
    full = 1;
  if (IS_FULL(second))
    full += 2;
  printf("%d\n", full);
  return 0;
}
