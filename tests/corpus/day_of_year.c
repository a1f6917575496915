// The number of a day in the year, and back.
#include <assert.h>
#include <stdbool.h>

extern int __VERIFIER_nondet_int(void);

struct date {
  int year, month, day;
};

static const int days_in_month[2][13] = {
    {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31},
    {0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31},
};

static bool is_leap(int year) {
#ifdef BUG
  return year % 4 == 0;
#else
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
#endif
}

static int day_of_year(struct date d) {
  int day = d.day;
  for (int m = 1; m < d.month; m++)
    day += days_in_month[is_leap(d.year)][m];
  return day;
}

static struct date from_day(int year, int day) {
  struct date d = {year, 1, day};
  while (d.day > days_in_month[is_leap(year)][d.month])
    d.day -= days_in_month[is_leap(year)][d.month++];
  return d;
}

int main(void) {
  int year = __VERIFIER_nondet_int(), day = __VERIFIER_nondet_int();
  if (year < 1890 || year > 1910 || day < 30 || day > 100)
    return 0;
  struct date d = from_day(year, day);
  assert(d.month >= 1 && d.month <= 12);
  assert(d.day >= 1 && d.day <= 31);
  assert(day_of_year(d) == day);
  if (year == 1900 && day == 60)
    assert(d.month == 3 && d.day == 1);
  return 0;
}
