// The sum of the numbers in a text. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
//~ test: 12\n
//~ test: a1b2\n
//~ test: no\n
//~ test: 10 20\n
//~ test: 007\n
//~ test: 1-1\n
//~ test: 99 bottles 1\n
//~ test: 5a\n
//~ test: x3\n
//~ test: 1 2 3 4\n
#include <stdio.h>

static int read_text(char *s, int most) {
  int n = 0;
  int c = getchar();
  while (c != EOF && c != '\n' && n < most - 1) {
    s[n++] = (char)c;
    c = getchar();
  }
  s[n] = 0;
  return n;
}

static int is_digit(char c) {
  return c >= '0' && c <= '9';
}

int main(void) {
  char s[64];
  int n = read_text(s, 64);
  int sum = 0;
  int value = 0;
  int inside = 0;
  for (int i = 0; i <= n; i++) {
    if (is_digit(s[i])) {
      value = value * 10 + (s[i] - '0');
      inside = 1;
    } else if (inside) {
      sum += value;
      value = 0;
      inside = 0;
    }
  }
  printf("%d\n", sum);
  return 0;
}
