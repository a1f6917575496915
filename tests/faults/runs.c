// Lengths of runs of equal letters. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
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

static int run_from(const char *s, int at) {
  int length = 1;
  while (s[at + length] == s[at])
    length++;
  return length;
}

int main(void) {
  char s[64];
  int n = read_text(s, 64);
  int at = 0;
  while (at < n) {
    int length = run_from(s, at);
    printf("%c%d", s[at], length);
    at += length;
  }
  printf("\n");
  return 0;
}
