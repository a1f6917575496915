// Parts of paths, as libgen.h gives them.
//~ SAFE
//~ run: verify
//~ UNSAFE
//~ run: verify -DTRAILING
#include <assert.h>
#include <libgen.h>
#include <string.h>
extern char __VERIFIER_nondet_char(void);
int main(void) {
  char path[4], copy[4], file[] = "/usr/lib/", two[] = "//", root[] = "///", lib[] = "/usr/lib/";
  assert(strcmp(basename(file), "lib") == 0);
  assert(strcmp(dirname(lib), "/usr") == 0);
  assert(strcmp(dirname(two), "//") == 0 && strcmp(dirname(root), "/") == 0);
  assert(strcmp(basename(NULL), ".") == 0 && strcmp(dirname(NULL), ".") == 0);
  for (int i = 0; i < 3; i++) copy[i] = path[i] = __VERIFIER_nondet_char();
  copy[3] = path[3] = '\0';
  char *name = basename(path), *directory = dirname(copy);
  assert(*name && *directory);
  assert(strchr(name, '/') == NULL || strcmp(name, "/") == 0);
#ifdef TRAILING
  assert(strcmp(directory, "/") != 0);
#endif
  return 0;
}
