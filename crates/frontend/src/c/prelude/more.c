/* Functions of stdlib.h, string.h, search.h and time.h that few programs call. */

int rand_r(unsigned *seed) {
  unsigned next = *seed * 1103515245u + 12345u;
  int result = next / 65536 % 2048;
  next = next * 1103515245u + 12345u;
  result = result << 10 ^ (int)(next / 65536 % 1024);
  next = next * 1103515245u + 12345u;
  result = result << 10 ^ (int)(next / 65536 % 1024);
  *seed = next;
  return result;
}

/* The next number of 48 bits of a sequence that the program keeps. */
static unsigned long long __library_next48(unsigned short *state) {
  unsigned long long x = (unsigned long long)state[2] << 32 | (unsigned long long)state[1] << 16 | state[0];
  x = x * 0x5deece66dULL + 11 & 0xffffffffffffULL;
  state[0] = x;
  state[1] = x >> 16;
  state[2] = x >> 32;
  return x;
}

double erand48(unsigned short *state) {
  return __library_next48(state) * 0x1p-48;
}

long nrand48(unsigned short *state) {
  return (long)(__library_next48(state) >> 17);
}

long jrand48(unsigned short *state) {
  return (int)(unsigned)(__library_next48(state) >> 16);
}

double drand48(void) {
  long long x = __library_input_number();
  __CPROVER_assume(x >= 0 && x < 1LL << 48);
  return x * 0x1p-48;
}

void qsort_r(void *base, unsigned long count, unsigned long size, int (*compare)(const void *, const void *, void *),
             void *argument) {
  char *first = base;
  char *moved;
  if (count < 2 || size == 0)
    return;
  moved = __builtin_alloca(size);
  for (unsigned long i = 1; i < count; i++)
    for (unsigned long j = i; j > 0; j--) {
      char *here = first + j * size, *before = here - size;
      if (compare(before, here, argument) <= 0)
        break;
      __builtin_memcpy(moved, before, size);
      __builtin_memcpy(before, here, size);
      __builtin_memcpy(here, moved, size);
    }
}

static void *__library_find(const void *key, const void *base, unsigned long count, unsigned long size,
                            int (*compare)(const void *, const void *)) {
  for (unsigned long i = 0; i < count; i++)
    if (compare(key, (const char *)base + i * size) == 0)
      return (char *)base + i * size;
  return 0;
}

void *lfind(const void *key, const void *base, unsigned long *count, unsigned long size,
            int (*compare)(const void *, const void *)) {
  return __library_find(key, base, *count, size, compare);
}

void *lsearch(const void *key, void *base, unsigned long *count, unsigned long size, int (*compare)(const void *, const void *)) {
  void *found = __library_find(key, base, *count, size, compare);
  if (found == 0) {
    found = (char *)base + *count * size;
    __builtin_memcpy(found, key, size);
    ++*count;
  }
  return found;
}

double difftime(long later, long earlier) {
  if (later < earlier)
    return -(double)((unsigned long)earlier - (unsigned long)later);
  return (double)((unsigned long)later - (unsigned long)earlier);
}

void swab(const void *from, void *to, long count) {
  const char *source = from;
  char *target = to;
  for (long i = count & ~1L; i > 1; i -= 2) {
    char last = source[i - 1];
    target[i - 1] = source[i - 2];
    target[i - 2] = last;
  }
}

void explicit_bzero(void *object, unsigned long count) {
  __builtin_memset(object, 0, count);
}

/* Numbers in names are compared as numbers; with leading zeros, as fractions. */
int strverscmp(const char *a, const char *b) {
  static const unsigned char next[12] = {0, 3, 9, 0, 3, 3, 0, 6, 6, 0, 6, 9};
  static const signed char results[36] = {2, 2, 2, 2, 3, 2, 2, 2, 2, 2, -1, -1, 1, 3, 3, 1, 3, 3,
                                          2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1,  1,  -1, 2, 2, -1, 2, 2};
  const unsigned char *left = (const unsigned char *)a, *right = (const unsigned char *)b;
  unsigned char c = *left++, d = *right++;
  int state = (c == '0') + (c >= '0' && c <= '9');
  int result;
  while (c == d) {
    if (c == 0)
      return 0;
    state = next[state];
    c = *left++;
    d = *right++;
    state += (c == '0') + (c >= '0' && c <= '9');
  }
  result = results[state * 3 + (d == '0') + (d >= '0' && d <= '9')];
  if (result == 2)
    return __library_order(c < d);
  if (result != 3)
    return __library_order(result < 0);
  while (*left >= '0' && *left <= '9') {
    if (!(*right >= '0' && *right <= '9'))
      return __library_order(0);
    left++;
    right++;
  }
  return __library_order((*right >= '0' && *right <= '9') || c < d);
}

/* Of libgen.h. Slashes at the end do not count; the parts that are cut off are overwritten, as glibc does. */
char *__xpg_basename(char *path) {
  unsigned long end, start;
  if (path == 0 || *path == 0)
    return (char *)".";
  end = __builtin_strlen(path);
  if (path[end - 1] == '/') {
    while (end > 0 && path[end - 1] == '/')
      end--;
    if (end == 0) /* only slashes: the last one */
      return path + __builtin_strlen(path) - 1;
    path[end] = 0;
  }
  start = end;
  while (start > 0 && path[start - 1] != '/')
    start--;
  return path + start;
}

char *dirname(char *path) {
  unsigned long end, slashes;
  if (path == 0 || *path == 0)
    return (char *)".";
  end = __builtin_strlen(path);
  while (end > 0 && path[end - 1] == '/')
    end--;
  if (end == 0)
    end = __builtin_strlen(path); /* only slashes */
  while (end > 0 && path[end - 1] != '/')
    end--;
  if (end == 0)
    return (char *)".";
  slashes = end;
  while (end > 0 && path[end - 1] == '/')
    end--;
  if (end == 0) /* the root; two slashes stay two */
    end = slashes == 2 ? 2 : 1;
  path[end] = 0;
  return path;
}
