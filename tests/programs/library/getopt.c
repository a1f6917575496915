// Options: the words of the command line are inputs.
//~ SAFE
//~ run: verify
//~ UNSAFE
//~ run: verify -DWRONG
#include <assert.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int verbose = 0, code;
  const char *file = 0;
#ifdef WRONG
  if (argc > 3)
    return 0;
#else
  if (argc > 2)
    return 0;
#endif
  while ((code = getopt(argc, argv, "+vf:")) != -1) {
    if (code == 'v')
      verbose++;
    else if (code == 'f')
      file = optarg;
    else
      return 1;
    if (verbose == 2)
      break;
  }
  assert(optind >= 1 && optind <= argc);
#ifdef WRONG
  assert(verbose == 0 || file == 0);
#else
  assert(!file || argc > 1);
#endif
  return 0;
}
