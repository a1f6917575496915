// Parses a number to the base 36 and reports overflow instead of wrapping.
//~ options: -p default -p no-overflow
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>

extern char __VERIFIER_nondet_char(void);

#define BASE 36

static int digit_value(char c) {
  if (isdigit((unsigned char)c))
    return c - '0';
  return tolower((unsigned char)c) - 'a' + 10;
}

static bool parse_int(const char *text, int *result) {
  bool negative = false;
  int value = 0;
  if (*text == '-' || *text == '+')
    negative = *text++ == '-';
  if (!isalnum((unsigned char)*text)) {
    errno = EINVAL;
    return false;
  }
  for (; isalnum((unsigned char)*text); text++) {
    int digit = digit_value(*text);
#ifdef BUG
    if (value > INT_MAX / BASE) {
#else
    if (value > INT_MAX / BASE || (value == INT_MAX / BASE && digit > INT_MAX % BASE)) {
#endif
      errno = ERANGE;
      return false;
    }
    value = value * BASE + digit;
  }
  *result = negative ? -value : value;
  return *text == '\0';
}

int main(void) {
  char text[8];
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
