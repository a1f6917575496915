// Functions registered for exit are called in reverse order.
//~ UNSAFE
//~ run: verify
#include <stdlib.h>
#include <assert.h>
static int n;
static void a(void) { n++; assert(n != 2); }
static void b(void) { assert(n == 0); n = 1; }
int main(void) { atexit(a); atexit(b); return 0; }
