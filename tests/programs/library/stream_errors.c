// The error indicator of a stream: reading sets it, clearerr clears it; fflush tells of failures to write.
//~ UNSAFE
//~ run: verify -DREAD
//~ run: verify --output-may-fail -DFLUSH
//~ SAFE
//~ run: verify
//~ run: verify -DONLY_READ
//~ SAFE
//~ run: verify -DWRITE
#include <assert.h>
#include <stdio.h>
int main(void) {
#if defined READ
  int c = getchar();
  assert(c != EOF || feof(stdin));
#elif defined FLUSH
  assert(fflush(stdout) == 0);
#elif defined ONLY_READ
  FILE *f = fopen("name", "r");
  if (f) {
    assert(!ferror(f));
    assert(fflush(f) == 0);
  }
#elif defined WRITE
  if (fflush(stdout) == EOF) {
    assert(ferror(stdout));
    clearerr(stdout);
  }
  return ferror(stdout) != 0;
#else
  int c = getchar(), n, x;
  if (c == EOF) assert(feof(stdin) != ferror(stdin));
  else assert(!feof(stdin) && !ferror(stdin));
  clearerr(stdin);
  n = scanf("%d", &x);
  if (n == EOF) assert(feof(stdin) || ferror(stdin));
  if (n == 1) assert(!ferror(stdin));
#endif
  return 0;
}
