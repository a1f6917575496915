//~ run: replay --quiet
//~ run: replay --quiet --entry copy
//~ run: replay --quiet --entry overlap
//~ run: replay --quiet --entry unterminated
//~ run: replay --quiet --entry null
#include <string.h>
int main(void) { char b[4]; strcpy(b, "abcd"); return 0; }
int copy(void) { int a[2] = { 0 }, b[4]; memcpy(b, a, sizeof b); return 0; }
int overlap(void) { char b[8] = "abcdefg"; memcpy(b + 1, b, 4); return 0; }
int unterminated(void) { char b[3] = "abc"; return strlen(b); }
int null(void) { return strlen(0); }
