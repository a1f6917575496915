// The macros of `ctype.h`, which look characters up in a table, for every character.
//~ SAFE
//~ run: verify
#include <ctype.h>
extern void reach_error(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
  unsigned char c = __VERIFIER_nondet_uchar();
  if (!!isdigit(c) != (c >= '0' && c <= '9')) reach_error();
  if (!!isalpha(c) != (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')) reach_error();
  if (isupper(c) && tolower(c) != c + 32) reach_error();
  if (isspace(c) && c != ' ' && (c < 9 || c > 13)) reach_error();
  if (isxdigit((char)-1)) reach_error();
  return 0;
}
