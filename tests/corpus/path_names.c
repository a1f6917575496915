// The last part of a path, its extension, and paths joined.
#include <assert.h>
#include <stdio.h>
#include <string.h>

extern char __VERIFIER_nondet_char(void);

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static const char *extension(const char *path) {
  const char *name = base_name(path);
#ifdef BUG
  const char *dot = strrchr(path, '.');
  return dot > name ? dot + 1 : dot ? dot + 1 : "";
#else
  const char *dot = strrchr(name, '.');
  return dot && dot > name ? dot + 1 : "";
#endif
}

static int join(char *out, size_t size, const char *directory, const char *name) {
  size_t n = strlen(directory);
  const char *between = n == 0 || directory[n - 1] == '/' ? "" : "/";
  int written = snprintf(out, size, "%s%s%s", directory, between, name);
  return written >= 0 && (size_t)written < size ? written : -1;
}

int main(void) {
  char path[5], out[8];
  for (size_t i = 0; i < sizeof path - 1; i++)
    path[i] = __VERIFIER_nondet_char();
  path[sizeof path - 1] = '\0';
  assert(strchr(base_name(path), '/') == NULL);
  assert(strchr(extension(path), '/') == NULL);
  if (join(out, sizeof out, "a", base_name(path)) > 0)
    assert(out[0] == 'a' && out[1] == '/');
  return 0;
}
