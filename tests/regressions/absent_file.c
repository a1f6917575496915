// Once called correct: no file could ever be opened.
//~ UNSAFE
//~ run: verify
#include <stdio.h>
#include <assert.h>
int main(void) {
  FILE *file = fopen("input", "r");
  if (!file) return 0;
  assert(0);
}
