//~ run: replay --quiet
//~ gcc
#include <ctype.h>
#include <stdio.h>
int main(void) {
  for (int c = -1; c < 256; c++) {
    int k = !!isalpha(c) | !!isdigit(c) << 1 | !!isspace(c) << 2 | !!isupper(c) << 3 | !!islower(c) << 4 | !!ispunct(c) << 5
      | !!isxdigit(c) << 6 | !!isalnum(c) << 7 | !!iscntrl(c) << 8 | !!isprint(c) << 9 | !!isgraph(c) << 10 | !!isblank(c) << 11;
    printf("%x ", k);
  }
  printf("\n%c%c%d\n", toupper('q'), tolower('Q'), toupper(-1));
  return 0;
}
