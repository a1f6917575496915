// A test that does not end, beside one with a wrong output: what would make the one end and the other right.
//~ UNSAFE
//~ run: localize --tests tests/programs/localize/endless.csv
//~ run: localize --arg -5 --expect-result 1
#include <stdio.h>
#include <stdlib.h>

static int digits(int number) {
  int count = 0;
  while (number != 0) {
    count++;
    number = number > 0 ? number / 10 : number;
  }
  return count;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 0;
  int count = digits(atoi(argv[1]));
  printf("%d\n", count);
  return count;
}
