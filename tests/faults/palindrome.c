// Whether a text is the same backwards. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
//~ test: racecar\n
//~ test: abba\n
//~ test: abca\n
//~ test: a\n
//~ test: ab\n
//~ test: \n
//~ test: aba\n
//~ test: abcba\n
//~ test: noon \n
//~ test: level\n
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

static int is_palindrome(const char *s, int n) {
  for (int i = 0; i < n / 2; i++) {
    if (s[i] != s[n - 1 - i])
      return 0;
  }
  return 1;
}

int main(void) {
  char s[64];
  int n = read_text(s, 64);
  printf("%d\n", is_palindrome(s, n));
  return 0;
}
