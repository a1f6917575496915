// How many words a text has, and the length of the longest. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
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

static int is_space(char c) {
  return c == ' ' || c == '\t';
}

int main(void) {
  char s[64];
  int n = read_text(s, 64);
  int words = 0;
  int longest = 0;
  int length = 0;
  for (int i = 0; i < n; i++) {
    if (is_space(s[i])) {
      length = 0;
    } else {
      if (length == 0)
        words++;
      length++;
      if (length > longest)
        longest = length;
    }
  }
  printf("%d %d\n", words, longest);
  return 0;
}
