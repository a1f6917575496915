// Parses a decimal number and reports overflow instead of wrapping.
//~ options: -p default -p no-overflow
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>

extern char __VERIFIER_nondet_char(void);

static bool parse_int(const char *text, int *result) {
  bool negative = false;
  int value = 0;
  if (*text == '-' || *text == '+')
    negative = *text++ == '-';
  if (!isdigit((unsigned char)*text)) {
    errno = EINVAL;
    return false;
  }
  for (; isdigit((unsigned char)*text); text++) {
    int digit = *text - '0';
#ifdef BUG
    if (value > INT_MAX / 10) {
#else
    if (value > INT_MAX / 10 || (value == INT_MAX / 10 && digit > INT_MAX % 10)) {
#endif
      errno = ERANGE;
      return false;
    }
    value = value * 10 + digit;
  }
  *result = negative ? -value : value;
  return *text == '\0';
}

int main(void) {
  char text[12];
  for (unsigned i = 0; i < sizeof text - 1; i++)
    text[i] = __VERIFIER_nondet_char();
  text[sizeof text - 1] = '\0';
  int value = 0;
  errno = 0;
  if (parse_int(text, &value)) {
    assert(errno == 0);
    if (text[0] != '-')
      assert(value >= 0);
    else
      assert(value <= 0);
  }
  return 0;
}
