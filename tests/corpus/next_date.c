// The day after a date.
#include <assert.h>

extern unsigned short __VERIFIER_nondet_ushort(void);

typedef struct {
  unsigned short year;
  unsigned char month, day;
} Date;

static unsigned char last_day(unsigned short year, unsigned char month) {
  switch (month) {
  case 2:
    return year % 400 == 0 || (year % 4 == 0 && year % 100) ? 29 : 28;
  case 4:
  case 6:
  case 9:
  case 11:
    return 30;
  default:
    return 31;
  }
}

static Date next(Date d) {
  if (d.day < last_day(d.year, d.month)) {
    d.day++;
  } else {
    d.day = 1;
#ifdef BUG
    if (d.month++ == 12)
      d.year++;
#else
    if (d.month++ == 12) {
      d.month = 1;
      d.year++;
    }
#endif
  }
  return d;
}

static int valid(Date d) {
  return d.year >= 1 && d.month >= 1 && d.month <= 12 && d.day >= 1 && d.day <= last_day(d.year, d.month);
}

static int before(Date a, Date b) {
  if (a.year != b.year)
    return a.year < b.year;
  return a.month != b.month ? a.month < b.month : a.day < b.day;
}

int main(void) {
  Date d = {__VERIFIER_nondet_ushort(), (unsigned char)__VERIFIER_nondet_ushort(), (unsigned char)__VERIFIER_nondet_ushort()};
  if (!valid(d) || d.year > 9998)
    return 0;
  Date e = next(d);
  assert(valid(e));
  assert(before(d, e));
  return 0;
}
