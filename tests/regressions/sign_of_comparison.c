// Once called true: C says only which sign the result of a comparison has, and that a character of a class gives something other than zero.
//~ UNSAFE
//~ run: verify -DBUG=1
//~ run: verify -DBUG=2
//~ run: verify -DBUG=3
//~ SAFE
//~ run: verify -DBUG=0
#include <ctype.h>
#include <string.h>
#undef isdigit
extern void reach_error(void);
extern char __VERIFIER_nondet_char(void);
int main(void) {
  char a[2] = { __VERIFIER_nondet_char() }, b[2] = { __VERIFIER_nondet_char() };
#if BUG == 1
  if (strcmp("a", "c") != -2) reach_error();
#elif BUG == 2
  if (memcmp("c", "a", 1) > 2) reach_error();
#elif BUG == 3
  if (isdigit('1') != 2048) reach_error();
#endif
  if (strcmp("a", "c") >= 0 || strcmp("c", "a") <= 0 || strcmp("a", "a") != 0) reach_error();
  if (strncmp("ab", "ac", 1) != 0 || memcmp("ab", "ac", 2) >= 0) reach_error();
  if ((strcmp(a, b) == 0) != (a[0] == b[0])) reach_error();
  if (!isdigit('1') || isdigit('a')) reach_error();
  return 0;
}
