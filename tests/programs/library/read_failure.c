// Reading may fail before the end of a file.
//~ UNSAFE
//~ run: verify
//~ run: verify -DLINE
#include <assert.h>
#include <stdio.h>
int main(void) {
  FILE *file = fopen("data", "r");
  char bytes[4] = "";
  if (!file)
    return 0;
#ifdef LINE
  assert(fgets(bytes, sizeof bytes, file) || bytes[0] == 0);
#else
  assert(fread(bytes, 1, 4, file) != 2 || feof(file));
#endif
}
