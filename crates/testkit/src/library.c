/* Calls of library functions with random contents; what they do is printed. The number after SEED is replaced. With KIND, one kind of them is
   called, what it would print is mixed into a number, and that is compared with EXPECTED, or printed if there is none. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <search.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#ifdef REAL
/* What the functions of math.h do with it is not modelled. */
#undef errno
static int no_error;
#define errno no_error
#endif

#ifdef KIND
static unsigned long long mixed = 1;
static char printed[400];
static void mix(void) {
  for (int i = 0; printed[i]; i++)
    mixed = (mixed ^ (unsigned char)printed[i]) * 1099511628211ULL;
}
#define printf(...) (snprintf(printed, sizeof printed, __VA_ARGS__), mix())
#endif

static unsigned long long state = 0 /* SEED */;
static unsigned next(unsigned limit) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(state >> 33) % limit;
}

static int sign(int order) {
  return (order > 0) - (order < 0);
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

static void decimals(void) {
  char a[48];
  char *end = 0;
  text(a, 24, next(3) ? "+-.0123456789e" : "0123456789.eEinfatyINFNAxXpP( ");
  if (next(3) == 0)
    snprintf(a, sizeof a, "%.*g", (int)next(20), (double)number() / (double)(1 + next(1000)));
  else if (next(3) == 0)
    snprintf(a, sizeof a, " %d.%02dE%d", (int)next(20000) - 10000, (int)next(100), (int)next(60) - 30);
  int kind = (int)next(3);
  union { double number; unsigned long long bits; } wide = {0};
  union { float number; unsigned bits; } narrow = {0};
  printf("decimal %d %s: ", kind, a);
  if (strstr(a, "n(") || strstr(a, "N(")) {
    printf("left out\n");
    return;
  }
  if (kind == 0)
    wide.number = strtod(a, &end);
  else if (kind == 1)
    narrow.number = strtof(a, &end);
  else
    wide.number = atof(a);
  if (wide.number != wide.number || narrow.number != narrow.number)
    printf("nan %d\n", end ? (int)(end - a) : -1);
  else
    printf("%llx %x %d\n", wide.bits, narrow.bits, end ? (int)(end - a) : -1);
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
  /* Hexadecimal floating-point numbers are not modelled. */
  for (int i = 0; strchr(format, 'f') && a[i]; i++)
    if (a[i] == 'x')
      a[i] = '5';
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

static void wide_text(wchar_t *to, int longest, const char *letters) {
  int length = (int)next((unsigned)longest), many = (int)strlen(letters);
  for (int i = 0; i < length; i++)
    to[i] = letters[next((unsigned)many)];
  if (length && next(6) == 0)
    to[next((unsigned)length)] = next(2) ? 0x1f600 : -7;
  to[length] = 0;
}

static void wide(void) {
  wchar_t a[40], b[8] = {0}, c[40], *rest = 0, *found;
  int where = (int)next(8);
  for (int i = 0; i < 40; i++)
    a[i] = c[i] = 'z';
  wide_text(a, 20, "ab, ");
  wide_text(b, 4, "a, ");
  printf("wide %d %d %d %d ", (int)wcslen(a), sign(wcscmp(a, b)), sign(wcsncmp(a, b, (size_t)where)), sign(wmemcmp(a, b, 2)));
  printf("%d %d ", (int)wcsspn(a, b), (int)wcscspn(a, b));
  found = wcsstr(a, b);
  printf("%d ", found ? (int)(found - a) : -1);
  found = wcspbrk(a, b);
  printf("%d ", found ? (int)(found - a) : -1);
  found = wcschr(a, a[where]);
  printf("%d ", found ? (int)(found - a) : -1);
  found = wcsrchr(a, 'a');
  printf("%d ", found ? (int)(found - a) : -1);
  found = wmemchr(a, 'b', (size_t)where);
  printf("%d ", found ? (int)(found - a) : -1);
  wcscpy(c, b);
  wcsncat(c, a, (size_t)where);
  wcscat(c, b);
  show("", c, (int)sizeof c);
  wcsncpy(c, a, (size_t)where + 3);
  wmemmove(c + 1, c, 5);
  wmemset(c + 9, where, 3);
  show("", c, (int)sizeof c);
  for (found = wcstok(a, b, &rest); found; found = wcstok(0, b, &rest))
    printf("%d ", (int)(found - a));
  show("", a, (int)sizeof a);
  wide_text(a, 24, next(2) ? "0123456789" : "0x-+ 19afz");
  errno = 0;
  found = a;
  printf("%ld ", wcstol(a, &found, next(3) ? 10 : (int)next(38)));
  printf("%d %d ", (int)(found - a), errno);
  printf("%lu ", wcstoul(a, &found, 0));
  unsigned code = next(3) ? next(300) : next(70000);
  printf("%d%d%d%d%d%d", iswalpha(code) != 0, iswdigit(code) != 0, iswspace(code) != 0, iswpunct(code) != 0, iswprint(code) != 0,
         iswcntrl(code) != 0);
  printf("%d%d%d%d%d%d", iswalnum(code) != 0, iswblank(code) != 0, iswgraph(code) != 0, iswlower(code) != 0, iswupper(code) != 0,
         iswxdigit(code) != 0);
  printf(" %u %u\n", towlower(code), towupper(code));
}

static void options(void) {
  static char words[][12] = {"-a", "-b", "x",      "-bfoo", "--",     "-",      "-ab",    "-c",  "-cz", "--all", "--file=q", "--file",
                             "--fi", "--al", "--f", "--nope", "--flag", "--flag=1", "-z", "-alt", "-f", "-:",    "-fil"};
  static const char *kinds[] = {"+ab:c::", "-ab:c::", "+:ab:c::f", "-:ab:"};
  int flag = 0, count = 1 + (int)next(7);
  struct option names[] = {{"all", 0, 0, 'A'}, {"file", 1, 0, 'F'}, {"flag", 0, &flag, 7}, {"alt", 2, 0, 'T'}, {0, 0, 0, 0}};
  char *given[9] = {"program"};
  const char *kind = kinds[next(4)];
  int how = (int)next(3), code;
  for (int i = 1; i < count; i++)
    given[i] = words[next(sizeof words / sizeof words[0])];
  given[count] = 0;
  optind = 0;
  opterr = 0;
  do {
    int index = -1;
    code = how == 0 ? getopt(count, given, kind) : how == 1 ? getopt_long(count, given, kind, names, &index) : getopt_long_only(count, given, kind, names, &index);
    printf("option %d %d %d %d %s", code, optind, index, flag, optarg ? optarg : "none");
    printf(" %d\n", code == '?' ? optopt : 0);
  } while (code != -1);
  for (int i = 0; i < count; i++)
    printf("%s ", given[i]);
  printf("\n");
}

static int by_argument(const void *a, const void *b, void *sign) {
  return (*(const int *)a - *(const int *)b) * *(int *)sign;
}

static int by_value(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

static void others(void) {
  char a[12] = "", b[12] = "", c[12] = "";
  unsigned seed = next(1u << 31);
  unsigned short kept[3] = {(unsigned short)next(65536), (unsigned short)next(65536), (unsigned short)next(65536)};
  int values[8], direction = next(2) ? 1 : -1, key = (int)next(9);
  size_t count = 5;
  text(a, 10, "ab0123");
  text(b, 10, "ab0123");
  if (next(2))
    memcpy(b, a, next(10));
  swab(a, c, (ssize_t)next(10) - 1);
  printf("others %d ", sign(strverscmp(a, b)));
  show("", c, 12);
  printf("%d ", rand_r(&seed));
  printf("%u %ld %ld ", seed, nrand48(kept), jrand48(kept));
  double number48 = erand48(kept);
  show("", &number48, 8);
  for (int i = 0; i < 8; i++)
    values[i] = (int)next(9);
  qsort_r(values, 5, sizeof values[0], by_argument, &direction);
  int *found = lfind(&key, values, &count, sizeof values[0], by_value);
  printf("%d ", found ? (int)(found - values) : -1);
  found = lsearch(&key, values, &count, sizeof values[0], by_value);
  printf("%d %d", (int)(found - values), (int)count);
  show("", values, (int)sizeof values);
  int left = (int)number(), right = (int)number();
  if (right != 0 && right != -1) {
    div_t parts = div(left, right);
    ldiv_t long_parts = ldiv(left, right);
    printf("%d %d %ld %ld\n", parts.quot, parts.rem, long_parts.quot, long_parts.rem);
  }
  double seconds = difftime((time_t)number(), (time_t)next(1000));
  show("", &seconds, 8);
}

static jmp_buf place;

static int dive(int depth, int value) {
  int mine[3] = {depth, value, depth * value};
  if (depth == 0 && value % 3)
    longjmp(place, value % 3 - 1);
  return depth == 0 ? value : dive(depth - 1, value) + mine[0] - mine[0] * 1;
}

static void jumps(void) {
  volatile int tries = 0;
  int value = (int)next(1000), code = setjmp(place);
  tries++;
  printf("jump %d %d", code, tries);
  if (tries < 4)
    printf(" returned %d", dive((int)next(4), value + tries));
  printf("\n");
}

#ifdef REAL
static void real(void) {
  static const double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e300, -1e300, 1e-310, 710.0, -750.0, 3.0, -2.0};
  double x = next(3) ? special[next(13)] : (double)number() / (1 << next(30));
  double y = next(3) ? special[next(13)] : (double)number() / (1 << next(30));
  double results[] = {sin(x), cos(x), tan(x), asin(x), acos(x), atan(x), atan2(x, y), sinh(x), cosh(x), tanh(x), asinh(x), acosh(x), atanh(x),
                      exp(x), exp2(x), expm1(x), log(x), log2(x), log10(x), log1p(x), pow(x, y), hypot(x, y), erf(x)};
  float f = (float)x, g = (float)y;
  float singles[] = {sinf(f), cosf(f), tanf(f), asinf(f), acosf(f), atanf(f), atan2f(f, g), sinhf(f), coshf(f), tanhf(f), asinhf(f), acoshf(f), atanhf(f),
                     expf(f), exp2f(f), expm1f(f), logf(f), log2f(f), log10f(f), log1pf(f), powf(f, g), hypotf(f, g), erff(f)};
  for (unsigned i = 0; i < sizeof results / sizeof results[0]; i++) {
    if (isnan(results[i]))
      results[i] = 77;
    if (isnan(singles[i]))
      singles[i] = 77;
  }
  show("double", results, (int)sizeof results);
  show("float", singles, (int)sizeof singles);
}
#endif

#ifdef KIND
#undef printf
int main(void) {
  switch (KIND) {
  case 0:
    strings();
    break;
  case 1:
    numbers();
    break;
  case 2:
    formats();
    break;
  case 3:
    scans();
    break;
  case 4:
    sorts();
    break;
  case 5:
    wide();
    break;
  case 6:
    options();
    break;
  case 7:
    others();
    break;
  case 8:
    decimals();
    break;
  default:
    jumps();
  }
#ifdef EXPECTED
  extern void __VERIFIER_error(void);
  if (mixed != EXPECTED)
    __VERIFIER_error();
#else
  printf("%lluULL", mixed);
#endif
  return 0;
}
#else
int main(void) {
  atexit(at_end);
  for (int i = 0; i < 300; i++) {
    strings();
    numbers();
    decimals();
    formats();
    scans();
    if (i % 4 == 0)
      sorts();
    input();
    wide();
    options();
    others();
    if (i % 2 == 0)
      jumps();
#ifdef REAL
    real();
#endif
  }
  return 0;
}
#endif
