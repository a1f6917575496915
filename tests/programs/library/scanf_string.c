// A word that is read into an array: any length, and at most seven characters.
//~ UNSAFE
//~ run: verify -p valid-deref -DLENGTH=
//~ SAFE
//~ run: verify -p valid-deref -DLENGTH=7
#include <stdio.h>
#define TEXT(x) #x
#define WIDTH(x) TEXT(x)
int main(void) {
  char name[8];
  if (scanf("%" WIDTH(LENGTH) "s", name) != 1) return 1;
  puts(name);
  return 0;
}
