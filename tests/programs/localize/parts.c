// Two faults, and a test that needs both repaired: no line helps it alone. What helps the others is said, and how many.
//~ UNSAFE
//~ run: localize --tests tests/programs/localize/parts.csv
#include <stdio.h>
#include <stdlib.h>

static int leap(int year) {
  return year % 4 == 0 && year % 100 != 0;
}

static int days(int month, int year) {
  static const int length[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month == 2 && leap(year))
    return 29;
  return length[month - 1];
}

static int day_of_year(int day, int month, int year) {
  int number = day;
  for (int before = 1; before <= month; before++)
    number += days(before, year);
  return number;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  int day = atoi(argv[1]), month = atoi(argv[2]), year = atoi(argv[3]);
  if (month < 1 || month > 12 || day < 1 || day > days(month, year)) {
    printf("no such day\n");
    return 1;
  }
  printf("%d\n", day_of_year(day, month, year));
  return 0;
}
