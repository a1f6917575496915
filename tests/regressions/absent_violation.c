// What is wrong where a file cannot be opened is found all the same.
//~ UNSAFE
//~ run: verify
#include <stdio.h>
#include <assert.h>
int main(void) {
  FILE *file = fopen("input", "r");
  assert(file);
  return 0;
}
