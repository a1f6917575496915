// A signal that the program raises itself.
//~ UNSAFE
//~ run: verify
#include <assert.h>
#include <signal.h>
static volatile sig_atomic_t seen;
static void handler(int number) { seen = number; }
int main(void) {
  signal(SIGINT, handler);
  raise(SIGINT);
  assert(seen == 0);
  return 0;
}
