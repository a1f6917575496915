// Whether brackets match, and how deep they nest. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
//~ test: ()\n
//~ test: (())\n
//~ test: (()\n
//~ test: ())\n
//~ test: a(b)c\n
//~ test: \n
//~ test: ((()))()\n
//~ test: )(\n
//~ test: ()()()\n
//~ test: (a(b)(c))\n
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

static int check(const char *s, int n, int *deepest) {
  int depth = 0;
  *deepest = 0;
  for (int i = 0; i < n; i++) {
    if (s[i] == '(')
      depth++;
    if (s[i] == ')')
      depth = depth - 1;
    if (depth < 0)
      return 0;
    if (depth > *deepest)
      *deepest = depth;
  }
  return depth == 0;
}

int main(void) {
  char s[64];
  int n = read_text(s, 64);
  int deepest;
  int fits = check(s, n, &deepest);
  printf("%d %d\n", fits, deepest);
  return 0;
}
