// A variable of the environment may be long.
//~ SAFE
//~ run: verify -p valid-deref
//~ UNSAFE
//~ run: verify -p valid-deref -DBUG
#include <stdlib.h>
#include <string.h>
int main(void) {
  char copy[16];
  char *home = getenv("HOME");
#ifdef BUG
  if (home) strcpy(copy, home);
#else
  if (home && home[0]) copy[0] = home[1];
#endif
  return 0;
}
