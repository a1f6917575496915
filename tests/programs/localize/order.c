// A formula knows what is expected of each output by its position: a run that writes something else, or less, does not pass. The command line is that of the test.
//~ UNSAFE
//~ run: localize --method maxsat --arg 3 --expect-stdout tests/programs/localize/order.txt
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  int limit = n - 1;
  if (n > 100)
    puts("many");
  for (int i = 0; i < limit; i++)
    printf("%d\n", i);
  return 0;
}
