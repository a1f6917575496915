// Allocation succeeds, unless it may fail: then every call may give null, and realloc leaves the old block as it was.
//~ SAFE
//~ run: verify
//~ run: verify --malloc-may-fail -DCHECKED
//~ run: verify --malloc-may-fail -DCHECKED -p all
//~ UNSAFE
//~ run: verify --malloc-may-fail
//~ run: verify --malloc-may-fail -DLOST -DCHECKED -p valid-memtrack
//~ run: minimize --malloc-may-fail
//~ run: replay --malloc-may-fail --inputs 1
//~ run: replay --malloc-may-fail --inputs 0,0
//~ run: verify --malloc-may-fail -DMEMALIGN
//~ run: verify --malloc-may-fail --witness allocation.yml
#include <stdlib.h>
#include <string.h>
int main(void) {
#ifdef MEMALIGN
  void *aligned = 0;
  int error = posix_memalign(&aligned, 16, 32);
  //@ assert error == 0;
  free(aligned);
  return 0;
#endif
  int *p = malloc(2 * sizeof(int));
#ifdef CHECKED
  if (!p) return 1;
#endif
  p[0] = 3;
  int *q = realloc(p, 4 * sizeof(int));
#ifdef LOST
  p = q;
#endif
  if (!q) {
#ifndef LOST
    //@ assert p[0] == 3;
#endif
    free(p);
    return 2;
  }
  //@ assert q[0] == 3;
  free(q);
  return 0;
}
