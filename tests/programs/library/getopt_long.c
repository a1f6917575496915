// Words are moved behind the options; long options may be cut short.
//~ SAFE
//~ run: verify
//~ run: verify -DPLUS
#include <assert.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  static int flag;
  static struct option names[] = {{"all", no_argument, &flag, 3}, {"file", required_argument, 0, 'f'}, {0, 0, 0, 0}};
  char *words[] = {"program", "x", "--fi=name", "--all", "y", 0};
  int index = -1;
#ifdef PLUS
  assert(getopt_long(5, words, "+a", names, &index) == -1 && optind == 1);
#else
  if (getenv("POSIXLY_CORRECT"))
    return 0;
  assert(getopt_long(5, words, "a", names, &index) == 'f' && index == 1 && strcmp(optarg, "name") == 0);
  assert(getopt_long(5, words, "a", names, &index) == 0 && index == 0 && flag == 3);
  assert(getopt_long(5, words, "a", names, &index) == -1);
  assert(optind == 3 && strcmp(words[1], "--fi=name") == 0 && strcmp(words[3], "x") == 0);
#endif
  return 0;
}
