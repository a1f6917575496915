// Converts seconds to hours, minutes and seconds, and prints them.
#include <assert.h>
#include <stdio.h>
#include <string.h>

extern unsigned __VERIFIER_nondet_uint(void);

struct clock {
  unsigned hours, minutes, seconds;
};

static struct clock from_seconds(unsigned s) {
  struct clock c;
  c.hours = s / 3600;
#ifdef BUG
  c.minutes = s / 60;
#else
  c.minutes = s % 3600 / 60;
#endif
  c.seconds = s % 60;
  return c;
}

static unsigned to_seconds(const struct clock *c) { return (c->hours * 60 + c->minutes) * 60 + c->seconds; }

int main(void) {
  unsigned s = __VERIFIER_nondet_uint();
  if (s >= 8000)
    return 0;
  struct clock c = from_seconds(s);
  assert(c.hours < 24 && c.minutes < 60 && c.seconds < 60);
  assert(to_seconds(&c) == s);
  char text[6];
  int n = snprintf(text, sizeof text, "%02u:%02u", c.hours, c.minutes);
  assert(n == 5 && text[2] == ':');
  return 0;
}
