// More words on the command line, and longer ones, than formulas of all runs have: that of a known run has as many. Two outputs are expected in their order.
//~ UNSAFE
//~ run: localize --method maxsat --arg 1 --arg 2 --arg 3 --arg 4 --arg 5 --arg 6 --arg a-long-word-of-the-line --expect-stdout tests/programs/localize/words.txt
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 1; i < argc; i++) {
    if (strlen(argv[i]) > 14)
      sum += 2;
    else
      sum += argv[i][0] - '0';
  }
  printf("%d\n", sum);
  puts("done");
  return 0;
}
