// Once called true: C says only which sign the result of a comparison has, and that a character of a class gives something other than zero.
//~ UNSAFE
//~ run: verify
//~ run: verify --entry memory
//~ run: verify --entry class
//~ SAFE
//~ run: verify --entry signs
#include <ctype.h>
#include <string.h>
extern void reach_error(void);
extern char __VERIFIER_nondet_char(void);
int main(void) {
  if (strcmp("a", "c") != -2) reach_error();
  return 0;
}
int memory(void) {
  if (memcmp("c", "a", 1) > 2) reach_error();
  return 0;
}
#undef isdigit
int class(void) {
  if ((isdigit)('1') != 2048) reach_error();
  return 0;
}
int signs(void) {
  char a[2] = { __VERIFIER_nondet_char() }, b[2] = { __VERIFIER_nondet_char() };
  if (strcmp("a", "c") >= 0 || strcmp("c", "a") <= 0 || strcmp("a", "a") != 0) reach_error();
  if (strncmp("ab", "ac", 1) != 0 || memcmp("ab", "ac", 2) >= 0) reach_error();
  if ((strcmp(a, b) == 0) != (a[0] == b[0])) reach_error();
  if (!(isdigit)('1') || (isdigit)('a')) reach_error();
  return 0;
}
