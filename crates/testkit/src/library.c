/* Calls of library functions with random contents; what they do is printed. The number after SEED is replaced. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long state = 0 /* SEED */;
static unsigned next(unsigned limit) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(state >> 33) % limit;
}

static void show(const char *what, const void *bytes, int count) {
  printf("%s", what);
  for (int i = 0; i < count; i++)
    printf(" %02x", ((const unsigned char *)bytes)[i]);
  printf("\n");
}

/* A string of few letters, so that they meet. */
static void text(char *to, int longest, const char *letters) {
  int length = (int)next((unsigned)longest);
  int many = (int)strlen(letters);
  for (int i = 0; i < length; i++)
    to[i] = letters[next((unsigned)many)];
  to[length] = 0;
}

static long long number(void) {
  static const long long special[] = {0, 1, -1, 9, 10, 99, 127, 128, 255, 256, 32767, 32768, 65535, 2147483647, -2147483647 - 1, 4294967295LL,
                                      9223372036854775807LL, -9223372036854775807LL - 1};
  if (next(2))
    return special[next(sizeof special / sizeof special[0])];
  long long value = ((long long)next(1u << 31) << 32) ^ (long long)next(1u << 31);
  value >>= next(63);
  return next(2) ? value : -value;
}

static void strings(void) {
  char a[32], b[8], c[32];
  char *rest = a, *found;
  memset(a, 'z', sizeof a);
  memset(c, 'z', sizeof c);
  text(a, 20, "ab, ");
  text(b, 4, "a, ");
  int kind = (int)next(9);
  printf("string %d ", kind);
  if (kind == 0) {
    for (found = strtok(a, b); found; found = strtok(0, b))
      printf("[%s]%d ", found, (int)(found - a));
    show("", a, sizeof a);
  } else if (kind == 1) {
    for (found = strtok_r(a, b, &rest); found; found = strtok_r(0, next(2) ? b : "b", &rest))
      printf("[%s]%d ", found, (int)(rest - a));
    show("", a, sizeof a);
  } else if (kind == 2) {
    while ((found = strsep(&rest, b)))
      printf("[%s]%d ", found, rest ? (int)(rest - a) : -1);
    show("", a, sizeof a);
  } else if (kind == 3) {
    found = memccpy(c, a, "ab, z"[next(5)], next(24));
    printf("%d", found ? (int)(found - c) : -1);
    show("", c, sizeof c);
  } else if (kind == 4) {
    found = memmem(a, next(20), b, next(4));
    printf("%d\n", found ? (int)(found - a) : -1);
  } else if (kind == 5) {
    found = stpncpy(c, a, next(32));
    printf("%d", (int)(found - c));
    show("", c, sizeof c);
  } else if (kind == 6) {
    for (int i = 0; b[i]; i++)
      if (b[i] == 'a' && next(2))
        b[i] = 'A';
    found = strcasestr(a, b);
    printf("%d\n", found ? (int)(found - a) : -1);
  } else if (kind == 7) {
    printf("%s\n", strerror((int)next(150) - 5));
  } else {
    found = strndup(a, next(20));
    printf("%s %d %d\n", found, (int)strspn(a, b), (int)strcspn(a, b));
    free(found);
  }
}

static void numbers(void) {
  char a[32];
  char *end = 0;
  text(a, 26, next(2) ? " +-0123456789" : "0123456789abcxXzZ-");
  if (next(3) == 0)
    snprintf(a, sizeof a, "%lld", number());
  static const int bases[] = {0, 10, 16, 8, 2, 36, 1, 37, -1, 7};
  int base = bases[next(10)];
  int kind = (int)next(4);
  errno = 0;
  printf("number %d %s %d: ", kind, a, base);
  if (kind == 0)
    printf("%ld", strtol(a, &end, base));
  else if (kind == 1)
    printf("%lu", strtoul(a, &end, base));
  else if (kind == 2)
    printf("%lld", strtoll(a, &end, base));
  else
    printf("%llu", strtoull(a, &end, base));
  printf(" %d %d\n", end ? (int)(end - a) : -1, errno);
}

static int formatted(char *to, size_t room, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int length = room == 64 ? vsprintf(to, format, list) : vsnprintf(to, room, format, list);
  va_end(list);
  return length;
}

static void formats(void) {
  char format[64], out[65], word[12];
  static const char *lengths[] = {"hh", "h", "", "l", "ll", "j", "z", "t"};
  int at = 0, stars = (int)next(4), kind, length = (int)next(8);
  int width = (int)next(20) - 6, precision = (int)next(14) - 4;
  size_t room = next(3) ? next(20) : 64;
  long long value = number();
  memset(out, 'z', sizeof out);
  text(word, 10, "xyz%");
  for (unsigned i = next(3); i > 0; i--)
    format[at++] = "ab "[next(3)];
  format[at++] = '%';
  for (unsigned i = next(3); i > 0; i--)
    format[at++] = "-+ #0"[next(5)];
  if (stars & 1)
    format[at++] = '*';
  else if (next(2))
    at += sprintf(format + at, "%d", 1 + (int)next(15));
  if (stars & 2)
    at += sprintf(format + at, ".*");
  else if (next(2))
    at += sprintf(format + at, ".%d", (int)next(12));
  kind = (int)next(9);
  if (kind < 6)
    at += sprintf(format + at, "%s%c", lengths[length], "diuxXo"[kind]);
  else
    format[at++] = "cs%"[kind - 6];
  sprintf(format + at, "%s", next(2) ? "!" : "");
  int count = 0;
  if (kind == 8 && stars)
    return;
  if (kind == 6)
    count = stars == 3 ? formatted(out, room, format, width, precision, (int)value)
            : stars == 2 ? formatted(out, room, format, precision, (int)value)
            : stars == 1 ? formatted(out, room, format, width, (int)value)
                         : formatted(out, room, format, (int)value);
  else if (kind == 7)
    count = stars == 3 ? formatted(out, room, format, width, precision, word)
            : stars == 2 ? formatted(out, room, format, precision, word)
            : stars == 1 ? formatted(out, room, format, width, word)
                         : formatted(out, room, format, word);
  else if (kind == 8)
    count = formatted(out, room, format);
  else if (length < 3)
    count = stars == 3 ? formatted(out, room, format, width, precision, (int)value)
            : stars == 2 ? formatted(out, room, format, precision, (int)value)
            : stars == 1 ? formatted(out, room, format, width, (int)value)
                         : formatted(out, room, format, (int)value);
  else
    count = stars == 3 ? formatted(out, room, format, width, precision, value)
            : stars == 2 ? formatted(out, room, format, precision, value)
            : stars == 1 ? formatted(out, room, format, width, value)
                         : formatted(out, room, format, value);
  printf("format \"%s\" %d %d %lld %d: %d", format, width, precision, value, (int)room, count);
  show("", out, sizeof out);
}

static void scans(void) {
  static const char *formats[] = {"%d",        "%d %d",   "%i,%i",    "%x %o",     "%u:%3d",  "%s %s", "%3s%2s", "%c%c",  " %c %2c", "%[ab]%n",
                                  "%[^,],%d", "%*d %hd", "%hhd%hhu", "%ld%%%lld", "a%db%d", "%5i%n", "%[]a-]", "%2d%2d", "%*s%d",   "%3[0-9]%d", "%lf", "%f %f", "%*f,%lf"};
  char a[32];
  unsigned char to[5][32];
  memset(to, 0xee, sizeof to);
  text(a, 20, next(3) ? "0123456789 -+,:xab%" : "0017 a,.");
  if (next(4) == 0)
    snprintf(a, sizeof a, "%lld %lld", number(), number());
  const char *format = formats[next(23)];
  int count = sscanf(a, format, to[0], to[1], to[2], to[3], to[4]);
  printf("scan \"%s\" \"%s\": %d", format, a, count);
  show("", to, 3 * 32);
}

static int by_low_byte(const void *a, const void *b) {
  return (*(const int *)a & 15) - (*(const int *)b & 15);
}

struct pair {
  char key;
  short value;
};

static int by_key(const void *a, const void *b) {
  return ((const struct pair *)a)->key - ((const struct pair *)b)->key;
}

static void sorts(void) {
  int values[12], count = (int)next(12);
  struct pair pairs[8], key = {(char)next(5), 0};
  for (int i = 0; i < 12; i++)
    values[i] = (int)next(64);
  memset(pairs, 0, sizeof pairs);
  for (int i = 0; i < 8; i++) {
    pairs[i].key = (char)next(5);
    pairs[i].value = (short)i;
  }
  qsort(values, (size_t)count, sizeof values[0], by_low_byte);
  show("sort", values, (int)sizeof values);
  qsort(pairs, 8, sizeof pairs[0], by_key);
  struct pair *found = bsearch(&key, pairs, 8, sizeof pairs[0], by_key);
  printf("found %d", found ? (int)(found - pairs) : -1);
  show("", pairs, (int)sizeof pairs);
}

static void at_end(void) {
  printf("the end %u\n", next(100));
}

static void input(void) {
  char line[8];
  char *whole = 0;
  size_t room = 0;
  int c;
  switch (next(6)) {
  case 0:
    printf("line %s", fgets(line, (int)next(8) + 1, stdin) ? line : "none");
    break;
  case 1:
    c = getchar();
    printf("character %d %d", c, feof(stdin) != 0);
    if (c != EOF && next(2))
      printf(" %d", ungetc(c + (int)next(2), stdin));
    break;
  case 2:
    printf("bytes %d", (int)fread(line, next(3) + 1, next(3), stdin));
    break;
  case 3:
    printf("whole %d ", (int)getline(&whole, &room, stdin));
    free(whole);
    break;
  case 4:
    c = scanf("%4[0-9,]", line);
    printf("scanned %d", c);
    break;
  default:
    c = fscanf(stdin, "%5[0-9a]%c", line, line + 7);
    printf("read %d", c);
  }
  printf("\n");
}

int main(void) {
  atexit(at_end);
  for (int i = 0; i < 300; i++) {
    strings();
    numbers();
    formats();
    scans();
    if (i % 4 == 0)
      sorts();
    input();
  }
  return 0;
}
