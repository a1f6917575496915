// Letters moved by three places. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
//~ test: hello\n
//~ test: a\n
//~ test: Hello World\n
//~ test: aabbcc\n
//~ test: 12 monkeys\n
//~ test: x  y   z\n
//~ test: racecar\n
//~ test: (a)(b\n
//~ test: AbCdEf\n
//~ test: zz top zz\n
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

static char moved(char c, int by) {
  if (c >= 'a' && c <= 'z')
    return (char)((c - 'a' + by) % 26 + 'a');
  if (c >= 'A' && c <= 'Z')
    return (char)((c - 'A' + by) % 26 + 'A');
  return c;
}

int main(void) {
  char s[64];
  int n = read_text(s, 64);
  for (int i = 0; i < n; i++)
    s[i] = moved(s[i], 3);
  printf("%s\n", s);
  return 0;
}
