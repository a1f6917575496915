// The distance of Levenshtein with one row.
#include <assert.h>
#include <string.h>

extern char __VERIFIER_nondet_char(void);

#define MAX 3

static int min3(int a, int b, int c) {
  int m = a < b ? a : b;
  return m < c ? m : c;
}

static int distance(const char *a, const char *b) {
  int row[MAX + 1];
  size_t na = strlen(a), nb = strlen(b);
  for (size_t j = 0; j <= nb; j++)
    row[j] = (int)j;
  for (size_t i = 1; i <= na; i++) {
    int diagonal = row[0];
#ifndef BUG
    row[0] = (int)i;
#endif
    for (size_t j = 1; j <= nb; j++) {
      int above = row[j];
      row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
      diagonal = above;
    }
  }
  return row[nb];
}

int main(void) {
  char a[3], b[3];
  for (int i = 0; i < 2; i++) {
    a[i] = __VERIFIER_nondet_char();
    b[i] = __VERIFIER_nondet_char();
  }
  a[2] = b[2] = '\0';
  int d = distance(a, b);
  assert((d == 0) == (strcmp(a, b) == 0));
  assert(d <= 2);
  if (b[0] == '\0')
    assert((size_t)d == strlen(a));
  return 0;
}
