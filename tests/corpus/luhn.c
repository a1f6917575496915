// The check digit of card numbers finds every single wrong digit.
#include <assert.h>
#include <stdbool.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

#define DIGITS 3

static int luhn_sum(const char *number) {
  int sum = 0;
  bool twice = false;
  for (int i = DIGITS - 1; i >= 0; i--) {
    int digit = number[i] - '0';
    if (twice) {
      digit *= 2;
#ifdef BUG
      if (digit > 10)
#else
      if (digit > 9)
#endif
        digit -= 9;
    }
    sum += digit;
    twice = !twice;
  }
  return sum;
}

static bool valid(const char *number) { return luhn_sum(number) % 10 == 0; }

static int any_digit(void) {
  unsigned char digit = __VERIFIER_nondet_uchar();
  return digit < 10 ? digit : 0;
}

int main(void) {
  char number[DIGITS + 1];
  for (int i = 0; i < DIGITS; i++)
    number[i] = (char)('0' + any_digit());
  number[DIGITS] = '\0';
  if (!valid(number))
    return 1;
  unsigned char at = __VERIFIER_nondet_uchar();
  if (at >= DIGITS)
    return 0;
  char other = (char)('0' + any_digit());
  if (other == number[at])
    return 0;
  number[at] = other;
  assert(!valid(number));
  return 0;
}
