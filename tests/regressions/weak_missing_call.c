// A weak function that nobody defines is at no address: calling it is wrong.
//~ run: replay
extern void missing(void) __attribute__((weak));
int main(void) {
  missing();
  return 0;
}
