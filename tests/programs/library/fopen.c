// A file that may not be there.
//~ SAFE
//~ run: verify -p valid-deref
//~ UNSAFE
//~ run: verify -p valid-deref -DUNCHECKED
//~ run: verify -p valid-deref -DCLOSED
#include <stdio.h>
int main(void) {
  FILE *file = fopen("data.txt", "r");
  char line[4];
#ifndef UNCHECKED
  if (!file) return 1;
#endif
  fgets(line, sizeof line, file);
  fclose(file);
#ifdef CLOSED
  fgetc(file);
#endif
  return 0;
}
