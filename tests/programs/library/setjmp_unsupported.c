// What is not modelled of setjmp.
//~ UNKNOWN!
//~ run: verify -DARRAY
//~ run: verify -DBUFFERS
//~ run: verify -DPOINTER
#include <assert.h>
#include <setjmp.h>
extern int __VERIFIER_nondet_int(void);
static jmp_buf buffers[2];
int main(void) {
#ifdef ARRAY
  int count = __VERIFIER_nondet_int();
  if (count < 1 || count > 5)
    return 0;
  int values[count];
  values[0] = 1;
  if (setjmp(buffers[0]) == 0)
    longjmp(buffers[0], 1);
#elif defined BUFFERS
  volatile int i = 0, jumps = 0;
  for (i = 0; i < 2; i++)
    if (setjmp(buffers[i]) != 0)
      jumps++;
  if (jumps == 0)
    longjmp(buffers[0], 1);
#else
  int (*set)(jmp_buf) = _setjmp;
  assert(set(buffers[0]) == 0);
#endif
  return 0;
}
