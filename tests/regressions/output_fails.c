// That output fails is a choice of the environment; which number `puts` returns is open. Both were once taken to be as in the interpreter.
//~ SAFE
//~ run: verify -DPRINTF
//~ run: verify -DPUTCHAR
//~ run: verify -DFWRITE
//~ run: verify -DSTREAM
//~ run: verify --engine bmc -DPRINTF
//~ run: verify --engine bmc -DPUTCHAR
//~ run: verify -DEITHER
//~ run: verify -DUNUSED
//~ run: verify --output-may-fail -DEITHER
//~ run: verify --output-may-fail -DUNUSED
//~ UNKNOWN!
//~ run: verify -DPUTS
//~ UNSAFE
//~ run: verify --output-may-fail -DPRINTF
//~ run: verify --output-may-fail -DPUTS
//~ run: verify --output-may-fail -DPUTCHAR
//~ run: verify --output-may-fail -DFWRITE
//~ run: verify --output-may-fail -DWRITE
//~ run: verify --output-may-fail -DSTREAM
#include <stdio.h>
#include <unistd.h>
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
#elif defined WRITE
  if (write(1, "four", 4) == 2) reach_error();
#elif defined STREAM
  if (fflush(stdout) || ferror(stdout) || fclose(stdout)) reach_error();
#elif defined EITHER
  int printed = printf("four"), put = putchar('a');
  if (printed > 4 || (printed >= 0 && printed < 4)) reach_error();
  if (puts("four") < -1 || (put != 'a' && put != EOF)) reach_error();
  if (fwrite("four", 1, 4, stdout) > 4) reach_error();
  if (write(1, "four", 4) < -1 || write(1, "four", 4) > 4) reach_error();
#else
  printf("four");
  puts("four");
#endif
  return 0;
}
