// Every word of the command line is looked at: larger bounds have longer command lines.
//~ UNSAFE
//~ run: verify --suspects never
#include <stdlib.h>

int main(int argc, char **argv) {
  double sum = 0;
  int words = 0;
  for (int i = 1; i < argc; i++) {
    sum += atof(argv[i]);
    words++;
  }
  //@ assert words < 9;
  return sum > 0;
}
