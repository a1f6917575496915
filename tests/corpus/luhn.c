// The check digit of card numbers finds every single wrong digit.
#include <assert.h>
#include <stdbool.h>

extern unsigned __VERIFIER_nondet_uint(void);

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

int main(void) {
  char number[DIGITS + 1];
  for (int i = 0; i < DIGITS; i++)
    number[i] = (char)('0' + __VERIFIER_nondet_uint() % 10);
  number[DIGITS] = '\0';
  if (!valid(number))
    return 1;
  unsigned at = __VERIFIER_nondet_uint() % DIGITS;
  char other = (char)('0' + __VERIFIER_nondet_uint() % 10);
  if (other == number[at])
    return 0;
  number[at] = other;
  assert(!valid(number));
  return 0;
}
