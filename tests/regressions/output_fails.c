// Whether output succeeds is not known, and what `puts` returns then is open; both were taken to be as in the interpreter.
//~ UNKNOWN!
//~ run: verify -DPRINTF
//~ run: verify -DPUTS
//~ run: verify -DPUTCHAR
//~ run: verify -DFWRITE
//~ run: verify --engine bmc -DPRINTF
//~ run: verify --engine bmc -DPUTCHAR
//~ SAFE
//~ run: verify -DEITHER
//~ run: verify -DUNUSED
#include <stdio.h>
extern void reach_error(void);
int main(void) {
#if defined PRINTF
  if (printf("four") != 4) reach_error();
#elif defined PUTS
  if (puts("four") != 5) reach_error();
#elif defined PUTCHAR
  if (putchar('a') != 'a') reach_error();
#elif defined FWRITE
  if (fwrite("four", 1, 4, stdout) != 4) reach_error();
#elif defined EITHER
  int printed = printf("four"), put = putchar('a');
  if (printed > 4 || (printed >= 0 && printed < 4)) reach_error();
  if (puts("four") < -1 || (put != 'a' && put != EOF)) reach_error();
  if (fwrite("four", 1, 4, stdout) > 4) reach_error();
#else
  printf("four");
  puts("four");
#endif
  return 0;
}
