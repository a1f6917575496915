// Where a pattern occurs in a text: the text before the first space is looked for behind it. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
//~ test: a banana\n
//~ test: an banana\n
//~ test: x banana\n
//~ test: aa aaaa\n
//~ test: ab ab\n
//~ test: ab\n
//~ test: na banana\n
//~ test: b abc\n
//~ test: abc ab\n
//~ test: o foo bar o\n
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

static int matches(const char *s, const char *p, int m) {
  for (int i = 0; i < m; i++) {
    if (s[i] != p[i])
      return 0;
  }
  return 1;
}

int main(void) {
  char s[64];
  int n = read_text(s, 64);
  int m = 0;
  while (m < n && s[m] != ' ')
    m++;
  int count = 0;
  int first = -1;
  for (int i = m + 1; i + m <= n; i++) {
    if (matches(s + i, s, m)) {
      count++;
      if (first < 0)
        first = i;
    }
  }
  printf("%d %d\n", count, first);
  return 0;
}
