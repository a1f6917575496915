// Vowels, consonants and other characters. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
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

static int lower(int c) {
  return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static int kind(int c) {
  c = lower(c);
  if (c < 'a' || c > 'z')
    return 2;
  if (c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u')
    return 0;
  return 1;
}

int main(void) {
  char s[64];
  int n = read_text(s, 64);
  int counts[3] = {0, 0, 0};
  for (int i = 0; i < n; i++)
    counts[kind(s[i])] += 1;
  printf("%d %d %d\n", counts[0], counts[1], counts[2]);
  return 0;
}
