// A statement is missing in a branch, and a call without a result is too much.
//~ UNSAFE
//~ run: localize --tests tests/programs/localize/forgotten.csv
//~ run: localize -DTOO_MUCH --tests tests/programs/localize/forgotten.csv
#include <stdio.h>
#include <stdlib.h>

static int count = 0, longest = 0;

static void restart(void) {
  count = 0;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (atoi(argv[i]) > 0) {
      count++;
      if (count > longest)
        longest = count;
#ifdef TOO_MUCH
      restart();
    } else {
      restart();
#else
    } else {
#endif
      printf("gap ");
    }
  }
  printf("%d\n", longest);
  restart();
  return 0;
}
