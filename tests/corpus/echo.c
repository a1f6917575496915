// The command echo with the option -n.
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>

static bool is_option(const char *arg) {
  if (arg[0] != '-' || arg[1] == '\0')
    return false;
  for (arg++; *arg; arg++)
    if (*arg != 'n')
      return false;
  return true;
}

int main(int argc, char **argv) {
  if (argc < 1 || argc > 3)
    return 2;
  for (int i = 1; i < argc; i++)
    if (argv[i][0] && argv[i][1] && argv[i][2])
      return 2;
  bool newline = true;
  int i = 1;
#ifdef BUG
  while (is_option(argv[i])) {
#else
  while (i < argc && is_option(argv[i])) {
#endif
    newline = false;
    i++;
  }
  assert(i <= argc);
  for (; i < argc; i++) {
    fputs(argv[i], stdout);
    if (i + 1 < argc)
      putchar(' ');
  }
  if (newline)
    putchar('\n');
  return fflush(stdout) == 0 ? 0 : 1;
}
