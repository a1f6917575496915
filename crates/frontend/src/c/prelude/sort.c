/* Sorting and searching. C leaves the order of equal elements open: here it stays, as with the merge sort of glibc. */

void qsort(void *base, unsigned long count, unsigned long size, int (*compare)(const void *, const void *)) {
  char *first = base;
  char *moved;
  if (count < 2 || size == 0)
    return;
  moved = __builtin_alloca(size);
  for (unsigned long i = 1; i < count; i++)
    for (unsigned long j = i; j > 0; j--) {
      char *here = first + j * size, *before = here - size;
      if (compare(before, here) <= 0)
        break;
      __builtin_memcpy(moved, before, size);
      __builtin_memcpy(before, here, size);
      __builtin_memcpy(here, moved, size);
    }
}

void *bsearch(const void *key, const void *base, unsigned long count, unsigned long size,
              int (*compare)(const void *, const void *)) {
  unsigned long from = 0, to = count;
  while (from < to) {
    unsigned long middle = from + (to - from) / 2;
    const char *element = (const char *)base + middle * size;
    int order = compare(key, element);
    if (order < 0)
      to = middle;
    else if (order > 0)
      from = middle + 1;
    else
      return (void *)element;
  }
  return 0;
}
