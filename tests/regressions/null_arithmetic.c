// Once called violated: a null pointer moved down and up again was no null pointer any more.
//~ SAFE where arithmetic outside of arrays is no fault before the result is used
//~ run: verify
#include <assert.h>
int main(void) {
  int *p = 0;
  assert((p - 1) + 1 == 0);
  return 0;
}
