// Two numbers with a comma between.
//~ UNSAFE
//~ run: verify
#include <stdio.h>
#include <assert.h>
int main(void) {
  int x, y;
  int n = scanf("%d,%d", &x, &y);
  if (n == 2) { assert(x != 5 || y != 7); }
  return 0;
}
