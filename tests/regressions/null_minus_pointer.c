// The difference of a null pointer and another one leaves the model. The run goes on on every machine, and comes to an invalid access wherever
// the objects lie.
//~ UNSAFE
//~ run: verify
#include <string.h>

extern char input(void);

int main(void) {
  char text[2] = {input(), '\0'};
  char *colon = strchr(text, ':');
  if (colon)
    return 0;
  size_t length = colon - text;
  return text[length];
}
