// What errno is after a failed allocation is not said, so nothing is proved behind one; malloc through a pointer is not supported then.
//~ UNKNOWN!
//~ run: verify --malloc-may-fail
//~ run: verify --malloc-may-fail -DPOINTER
//~ SAFE
//~ run: verify
//~ run: verify -DPOINTER
#include <errno.h>
#include <stdlib.h>
extern void reach_error(void);
#ifdef POINTER
static void *(*allocate)(size_t) = malloc;
#endif
int main(void) {
#ifdef POINTER
  char *p = allocate(1);
#else
  errno = 0;
  char *p = malloc(1);
  if (!p) {
    if (errno != 0) reach_error();
    return 1;
  }
#endif
  *p = 1;
  free(p);
  return 0;
}
