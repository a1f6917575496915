//~ run: check
//~ run: replay
#include <setjmp.h>
static jmp_buf env;
int main(void) {
  if (setjmp(env)) return 1;
  longjmp(env, 1);
}
