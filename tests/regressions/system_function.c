// Once called violated: what a system header declares is not any function.
//~ UNKNOWN!
//~ run: verify
#include <unistd.h>
#include <sys/random.h>
#include <assert.h>
int main(void) {
  char bytes[4];
  assert(getrandom(bytes, 4, 0) <= 4);
  return 0;
}
