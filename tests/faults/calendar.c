// The day of the year. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
//~ test: 2023 1 1\n
//~ test: 2024 3 1\n
//~ test: 2023 3 1\n
//~ test: 1900 3 1\n
//~ test: 2000 3 1\n
//~ test: 2023 12 31\n
//~ test: 2024 12 31\n
//~ test: 2023 5 5\n
//~ test: 2023 7 4\n
//~ test: 2024 10 10\n
#include <stdio.h>

static int read_all(int *a, int most) {
  int n = 0;
  while (n < most && scanf("%d", &a[n]) == 1)
    n++;
  return n;
}

static int is_leap(int year) {
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_in(int month, int year) {
  if (month == 2)
    return is_leap(year) ? 29 : 28;
  if (month == 4 || month == 6 || month == 9 || month == 11)
    return 30;
  return 31;
}

int main(void) {
  int a[32];
  read_all(a, 32);
  int day = a[2];
  for (int m = 1; m < a[1]; m++)
    day += days_in(m, a[0]);
  printf("%d\n", day);
  return 0;
}
