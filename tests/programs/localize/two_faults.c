// Two faults, in functions that tests use together: none of them alone makes a test pass that needs both.
//~ UNSAFE
//~ run: localize --tests tests/programs/localize/two_faults.csv
#include <stdio.h>

static int area(int w, int h) {
  return w * h + 1;
}

static int perimeter(int w, int h) {
  return 2 * w - 2 * h;
}

static int limited(int v) {
  if (v > 1000)
    return 1000;
  return v;
}

int main(void) {
  char what;
  int w, h;
  while (scanf(" %c %d %d", &what, &w, &h) == 3) {
    if (what == 'a')
      printf("%d\n", limited(area(w, h)));
    else
      printf("%d\n", limited(perimeter(w, h)));
  }
  return 0;
}
