/* The part of a C library that programs on a 32-bit system need, for machines without one. Allocations lie at the end of their pages, before one
   that cannot be touched, and stay forbidden after free. */
typedef unsigned int size_t;
typedef unsigned long long u64;
typedef long long s64;

/* Not watched itself: what watches, what runs before it can, and what looks at all of memory. */
#define UNWATCHED __attribute__((no_sanitize_address))

UNWATCHED static int plain(int number, int a, int b, int c) {
  int result;
  __asm__ volatile("pushl %%ebx\n\tmovl %2, %%ebx\n\tint $0x80\n\tpopl %%ebx" : "=a"(result) : "0"(number), "r"(a), "c"(b), "d"(c) : "memory");
  return result;
}

UNWATCHED static int map(size_t length) {
  /* old mmap takes its arguments from memory */
  int arguments[6] = {0, (int)length, 3, 0x22, -1, 0};
  return plain(90, (int)arguments, 0, 0);
}

UNWATCHED long write(int file, const void *text, size_t length) { return plain(4, file, (int)text, (int)length); }
UNWATCHED void _exit(int code) { for (;;) plain(252, code, 0, 0); }

struct block { char *start, *page; size_t size, pages; int live, seen; struct block *next; };
static struct block *blocks;
static struct block pool[1 << 16];
static unsigned used;

UNWATCHED static void leave(int code, const char *text) {
  size_t length = 0;
  while (text[length]) length++;
  write(2, text, length);
  _exit(code);
}

#ifdef WHYDUNIT_GUARDED
/* Between variables there is space that may not be touched. The compiler tells where, and asks before each access: for eight bytes of memory there
   is one that says how many of them may be touched, where 0 is all. */
#define SHADOW 0x20000000u
struct variable { unsigned start, size, padded, other[5]; };

UNWATCHED static signed char *shadow(unsigned at) { return (signed char *)(SHADOW + (at >> 3)); }
UNWATCHED void __asan_register_globals(struct variable *variable, unsigned count) {
  /* The list itself lies behind the variables of its unit, and before those of the next. */
  for (unsigned at = (unsigned)variable; at < (unsigned)(variable + count); at += 8) *shadow(at) = -1;
  for (; count--; variable++)
    for (unsigned offset = variable->size & ~7u; offset < variable->padded; offset += 8)
      *shadow(variable->start + offset) = offset < variable->size ? (signed char)(variable->size & 7) : -1;
}
void __asan_unregister_globals() {}
void __asan_handle_no_return() {}
UNWATCHED static void touch(unsigned at, unsigned size) {
  for (; size; at++, size--) {
    signed char allowed = *shadow(at);
    if (allowed && (signed char)(at & 7) >= allowed) leave(115, "whydunit: invalid access\n");
  }
}
#define TOUCHES(size) \
  UNWATCHED void __asan_load##size##_noabort(unsigned at) { touch(at, size); } \
  UNWATCHED void __asan_store##size##_noabort(unsigned at) { touch(at, size); }
TOUCHES(1) TOUCHES(2) TOUCHES(4) TOUCHES(8) TOUCHES(16)
UNWATCHED void __asan_loadN_noabort(unsigned at, unsigned size) { touch(at, size); }
UNWATCHED void __asan_storeN_noabort(unsigned at, unsigned size) { touch(at, size); }

extern void (*__init_array_start[])(void), (*__init_array_end[])(void);
UNWATCHED static void watch(void) {
  int arguments[6] = {(int)SHADOW, 1 << 29, 3, 0x4032, -1, 0};
  plain(90, (int)arguments, 0, 0);
  for (void (**tell)(void) = __init_array_start; tell < __init_array_end; tell++) (*tell)();
}
#else
static void watch(void) {}
#endif

/* This object is linked first: what the program has comes after it. */
static int first_data = 1;
extern char _edata, __bss_start, _end;
static char *stack_end;

/* Marks the blocks that words of some memory point into; whether there was a new one. */
UNWATCHED static int scan(char *from, char *to) {
  int found = 0;
  for (char *at = (char *)(((unsigned)from + 3) & ~3u); at + 4 <= to; at += 4) {
    if (at >= (char *)pool && at < (char *)(pool + sizeof pool / sizeof *pool)) continue;
    if (at == (char *)&blocks) continue;
    char *value = *(char **)at;
    for (struct block *block = blocks; block; block = block->next)
      if (block->live && !block->seen && value >= block->start && value <= block->start + block->size) block->seen = found = 1;
  }
  return found;
}

UNWATCHED static int lost(void) {
  char here;
  scan((char *)&first_data, &_edata);
  scan(&__bss_start, &_end);
  scan(&here, stack_end);
  for (int changed = 1; changed;) {
    changed = 0;
    for (struct block *block = blocks; block; block = block->next)
      if (block->live && block->seen == 1) { block->seen = 2; changed |= scan(block->start, block->start + block->size); }
  }
  for (struct block *block = blocks; block; block = block->next)
    if (block->live && !block->seen) return 1;
  return 0;
}

void exit(int code) {
#ifdef WHYDUNIT_CLEANUP
  for (struct block *block = blocks; block; block = block->next)
    if (block->live) leave(111, "whydunit: memory not freed\n");
#endif
#ifdef WHYDUNIT_TRACK
  if (lost()) leave(113, "whydunit: memory lost\n");
#endif
  _exit(code);
}
void _Exit(int code) { _exit(code); }
void abort(void) { plain(37, plain(20, 0, 0, 0), 6, 0); _exit(134); }

void *memset(void *to, int value, size_t n) { char *p = to; while (n--) *p++ = (char)value; return to; }
void *memcpy(void *to, const void *from, size_t n) { char *p = to; const char *q = from; while (n--) *p++ = *q++; return to; }
void *memmove(void *to, const void *from, size_t n) {
  char *p = to; const char *q = from;
  if (p < q) while (n--) *p++ = *q++;
  else while (n--) p[n] = q[n];
  return to;
}
int memcmp(const void *a, const void *b, size_t n) {
  const unsigned char *p = a, *q = b;
  for (; n; n--, p++, q++) if (*p != *q) return *p - *q;
  return 0;
}
void *memchr(const void *a, int c, size_t n) {
  const unsigned char *p = a;
  for (; n; n--, p++) if (*p == (unsigned char)c) return (void *)p;
  return 0;
}

void *malloc(size_t size) {
  if (size > 0x40000000u || used == sizeof pool / sizeof *pool) return 0;
  size_t pages = (size + 4095) / 4096 + (size == 0);
  int at = map((pages + 2) * 4096);
  if (at < 0 && at > -4096) return 0;
  plain(125, at, 4096, 0);
  at += 4096;
  char *page = (char *)at;
  plain(125, at + (int)pages * 4096, 4096, 0);
  struct block *block = &pool[used++];
  block->page = page; block->pages = pages; block->size = size; block->live = 1;
  block->start = page + pages * 4096 - size;
#ifndef WHYDUNIT_GUARDED
  block->start -= (unsigned)block->start % 16;
#endif
#ifdef WHYDUNIT_GUARDED_BEFORE
  block->start = page;
#endif
  block->next = blocks; blocks = block;
  return block->start;
}
static struct block *find(void *start) {
  for (struct block *block = blocks; block; block = block->next) if (block->start == start) return block;
  return 0;
}
void free(void *start) {
  if (!start) return;
  struct block *block = find(start);
  if (!block || !block->live) leave(110, "whydunit: invalid free\n");
  block->live = 0;
  plain(125, (int)block->page, (int)block->pages * 4096, 0);
}
void *calloc(size_t n, size_t size) {
  if (size && n > 0x40000000u / size) return 0;
  return malloc(n * size);
}
void *realloc(void *start, size_t size) {
  void *fresh = malloc(size);
  if (start && fresh) {
    struct block *block = find(start);
    if (!block || !block->live) leave(110, "whydunit: invalid free\n");
    memcpy(fresh, start, block->size < size ? block->size : size);
    free(start);
  }
  return fresh;
}

size_t strlen(const char *s) { size_t n = 0; while (s[n]) n++; return n; }
char *strcpy(char *to, const char *from) { char *p = to; while ((*p++ = *from++)); return to; }
char *strncpy(char *to, const char *from, size_t n) { size_t i = 0; for (; i < n && from[i]; i++) to[i] = from[i]; for (; i < n; i++) to[i] = 0; return to; }
char *strcat(char *to, const char *from) { strcpy(to + strlen(to), from); return to; }
int strcmp(const char *a, const char *b) { while (*a && *a == *b) a++, b++; return (unsigned char)*a - (unsigned char)*b; }
int strncmp(const char *a, const char *b, size_t n) { for (; n; n--, a++, b++) { if (*a != *b) return (unsigned char)*a - (unsigned char)*b; if (!*a) break; } return 0; }
char *strchr(const char *s, int c) { for (;; s++) { if (*s == (char)c) return (char *)s; if (!*s) return 0; } }
char *strrchr(const char *s, int c) { char *found = 0; for (;; s++) { if (*s == (char)c) found = (char *)s; if (!*s) return found; } }
char *strdup(const char *s) { char *p = malloc(strlen(s) + 1); return p ? strcpy(p, s) : 0; }
int printf(const char *format) { return 0; }
int fprintf() { return 0; }
int puts(const char *text) { return 0; }
int putchar(int c) { return c; }
int fputs() { return 0; }
int fflush() { return 0; }
int perror() { return 0; }
void *stdin, *stdout, *stderr;
static int error;
int *__errno_location(void) { return &error; }
int abs(int x) { return x < 0 ? -x : x; }
long labs(long x) { return x < 0 ? -x : x; }
int isdigit(int c) { return c >= '0' && c <= '9'; }
int isspace(int c) { return c == ' ' || (c >= 9 && c <= 13); }
int atoi(const char *s) { int n = 0, negative = 0; while (isspace(*s)) s++; if (*s == '-' || *s == '+') negative = *s++ == '-'; while (isdigit(*s)) n = n * 10 + (*s++ - '0'); return negative ? -n : n; }
static unsigned seed = 1;
void srand(unsigned s) { seed = s; }
int rand(void) { seed = seed * 1103515245 + 12345; return (int)(seed >> 1 & 0x7fffffff); }
double fabs(double x) { return x < 0 ? -x : x == 0 ? 0 : x; }
float fabsf(float x) { return x < 0 ? -x : x == 0 ? 0 : x; }
double sqrt(double x) { double r; __asm__("fsqrt" : "=t"(r) : "0"(x)); return r; }
int pthread_mutex_lock() { return 0; }
int pthread_mutex_unlock() { return 0; }

/* What the compiler calls for 64-bit numbers. */
static u64 divide(u64 a, u64 b, u64 *rest) {
  u64 q = 0, r = 0;
  if (!b) __asm__ volatile("int $0");
  for (int i = 63; i >= 0; i--) {
    int carry = (int)(r >> 63);
    r = r << 1 | (a >> i & 1);
    if (carry || r >= b) { r -= b; q |= 1ULL << i; }
  }
  *rest = r;
  return q;
}
u64 __udivdi3(u64 a, u64 b) { u64 r; return divide(a, b, &r); }
u64 __umoddi3(u64 a, u64 b) { u64 r; divide(a, b, &r); return r; }
static u64 size_of(s64 x) { return x < 0 ? 0 - (u64)x : (u64)x; }
s64 __divdi3(s64 a, s64 b) { u64 r, q = divide(size_of(a), size_of(b), &r); return (s64)((a < 0) != (b < 0) ? 0 - q : q); }
s64 __moddi3(s64 a, s64 b) { u64 r; divide(size_of(a), size_of(b), &r); return (s64)(a < 0 ? 0 - r : r); }
double __floatundidf(u64 x) { return (double)(s64)(x >> 32) * 4294967296.0 + (double)(s64)(x & 0xffffffffu); }
float __floatundisf(u64 x) { return (float)((long double)(s64)(x >> 32) * 4294967296.0L + (long double)(s64)(x & 0xffffffffu)); }
long double __floatundixf(u64 x) { return (long double)(s64)(x >> 32) * 4294967296.0L + (long double)(s64)(x & 0xffffffffu); }
u64 __fixunsdfdi(double x) { return x < 9223372036854775808.0 ? (u64)(s64)x : (u64)(s64)(x - 9223372036854775808.0) ^ 1ULL << 63; }
u64 __fixunssfdi(float x) { return __fixunsdfdi(x); }
u64 __fixunsxfdi(long double x) { return x < 9223372036854775808.0L ? (u64)(s64)x : (u64)(s64)(x - 9223372036854775808.0L) ^ 1ULL << 63; }
int __popcountsi2(unsigned x) { int n = 0; for (; x; x &= x - 1) n++; return n; }

int main(int, char **);
__attribute__((used)) UNWATCHED static void begin(int *stack) { watch(); stack_end = (char *)stack; exit(main(stack[0], (char **)(stack + 1))); }
__asm__(".globl _start\n_start:\n\txorl %ebp, %ebp\n\tmovl %esp, %eax\n\tandl $-16, %esp\n\tsubl $12, %esp\n\tpushl %eax\n\tcall begin\n");
