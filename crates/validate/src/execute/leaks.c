/* What is allocated and not freed when the program ends. */
extern void *whydunit_leak_malloc(unsigned long) __asm__("__real_malloc");
extern void *whydunit_leak_calloc(unsigned long, unsigned long) __asm__("__real_calloc");
extern void *whydunit_leak_realloc(void *, unsigned long) __asm__("__real_realloc");
extern void whydunit_leak_free(void *) __asm__("__real_free");
static void *whydunit_live[65536];
static void *whydunit_noted(void *memory) {
  for (unsigned i = 0; memory && i < 65536; i++)
    if (!whydunit_live[i]) {
      whydunit_live[i] = memory;
      break;
    }
  return memory;
}
static void whydunit_forget(void *memory) {
  for (unsigned i = 0; memory && i < 65536; i++)
    if (whydunit_live[i] == memory)
      whydunit_live[i] = 0;
}
void *whydunit_noted_malloc(unsigned long) __asm__("__wrap_malloc");
void *whydunit_noted_malloc(unsigned long size) { return whydunit_noted(whydunit_leak_malloc(size)); }
void *whydunit_noted_calloc(unsigned long, unsigned long) __asm__("__wrap_calloc");
void *whydunit_noted_calloc(unsigned long count, unsigned long size) { return whydunit_noted(whydunit_leak_calloc(count, size)); }
void *whydunit_noted_realloc(void *, unsigned long) __asm__("__wrap_realloc");
void *whydunit_noted_realloc(void *old, unsigned long size) {
  void *memory = whydunit_leak_realloc(old, size);
  if (memory || !size)
    whydunit_forget(old);
  return whydunit_noted(memory);
}
void whydunit_noted_free(void *) __asm__("__wrap_free");
void whydunit_noted_free(void *memory) {
  whydunit_forget(memory);
  whydunit_leak_free(memory);
}
__attribute__((destructor)) static void whydunit_leaks(void) {
  for (unsigned i = 0; i < 65536; i++)
    if (whydunit_live[i])
      whydunit_end(111, "whydunit: memory not freed\n");
}
