//~ run: replay --inputs 65,66,-1
//~ run: replay --inputs 7
// What a program reads from outside is an input.
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  int c, n = 0;
  while ((c = getchar()) != EOF) n += c;
  return n == 131 ? 0 : 1;
}
