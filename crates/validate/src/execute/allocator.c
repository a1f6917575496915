/* Memory for programs that are linked without a C library, where its use is not checked: it is taken from one block and never given back.
   The compiler sees other names than the linker, since the program declares these functions as it likes. */
static char whydunit_block[1 << 28] __attribute__((aligned(16)));
static unsigned long whydunit_taken;
void whydunit_end(int code) __asm__("_exit");

void *whydunit_malloc(unsigned long size) __asm__("malloc");
void *whydunit_malloc(unsigned long size) {
  unsigned long left = sizeof whydunit_block - whydunit_taken;
  /* A library has more: what this run would show then is not what the program does. */
  if (left < 32 || size > left - 32) whydunit_end(1);
  char *start = whydunit_block + whydunit_taken + 16;
  *(unsigned long *)(start - 16) = size;
  whydunit_taken += 16 + (size + 15) / 16 * 16;
  return start;
}

void *whydunit_calloc(unsigned long count, unsigned long size) __asm__("calloc");
void *whydunit_calloc(unsigned long count, unsigned long size) {
  if (size && count > sizeof whydunit_block / size) whydunit_end(1);
  return whydunit_malloc(count * size);
}

void *whydunit_realloc(void *old, unsigned long size) __asm__("realloc");
void *whydunit_realloc(void *old, unsigned long size) {
  char *start = whydunit_malloc(size);
  if (old && start) {
    unsigned long known = *(unsigned long *)((char *)old - 16);
    for (unsigned long at = 0; at < known && at < size; at++) start[at] = ((char *)old)[at];
  }
  return start;
}

void whydunit_free(void *start) __asm__("free");
void whydunit_free(void *start) {}
