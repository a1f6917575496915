/* wchar.h, as far as wide strings are arrays of `int`, and wctype.h in the locale "C", which only knows the characters of ASCII. */

unsigned long wcslen(const int *text) {
  unsigned long length = 0;
  while (text[length])
    length++;
  return length;
}

unsigned long wcsnlen(const int *text, unsigned long limit) {
  unsigned long length = 0;
  while (length < limit && text[length])
    length++;
  return length;
}

static int *__library_wide_copy(int *to, const int *from) {
  while ((*to = *from++))
    to++;
  return to;
}

int *wcscpy(int *to, const int *from) {
  __library_wide_copy(to, from);
  return to;
}

int *wcpcpy(int *to, const int *from) {
  return __library_wide_copy(to, from);
}

int *wcsncpy(int *to, const int *from, unsigned long count) {
  unsigned long i = 0;
  for (; i < count && from[i]; i++)
    to[i] = from[i];
  for (; i < count; i++)
    to[i] = 0;
  return to;
}

int *wcscat(int *to, const int *from) {
  int *end = to;
  while (*end)
    end++;
  __library_wide_copy(end, from);
  return to;
}

int *wcsncat(int *to, const int *from, unsigned long count) {
  int *end = to;
  unsigned long i = 0;
  while (*end)
    end++;
  for (; i < count && from[i]; i++)
    end[i] = from[i];
  end[i] = 0;
  return to;
}

/* A number whose sign says which of two is less; C leaves open how large it is, and so does `strcmp`. */
static int __library_order(int less) {
  return less ? __builtin_strcmp("a", "b") : __builtin_strcmp("b", "a");
}

static int __library_wide_compare(const int *a, const int *b, unsigned long count) {
  for (; count > 0; a++, b++, count--) {
    if (*a != *b)
      return __library_order(*a < *b);
    if (*a == 0)
      return 0;
  }
  return 0;
}

int wcscmp(const int *a, const int *b) {
  return __library_wide_compare(a, b, -1UL);
}

int wcscoll(const int *a, const int *b) {
  return __library_wide_compare(a, b, -1UL);
}

int wcsncmp(const int *a, const int *b, unsigned long count) {
  return __library_wide_compare(a, b, count);
}

int *wcschr(const int *text, int wanted) {
  for (;; text++) {
    if (*text == wanted)
      return (int *)text;
    if (*text == 0)
      return 0;
  }
}

int *wcsrchr(const int *text, int wanted) {
  const int *found = 0;
  for (;; text++) {
    if (*text == wanted)
      found = text;
    if (*text == 0)
      return (int *)found;
  }
}

/* How many characters at the beginning are of a set, or are not. */
static unsigned long __library_wide_span(const int *text, const int *set, int inside) {
  unsigned long length = 0;
  for (; text[length]; length++) {
    const int *member = set;
    while (*member && *member != text[length])
      member++;
    if ((*member != 0) != inside)
      break;
  }
  return length;
}

unsigned long wcsspn(const int *text, const int *set) {
  return __library_wide_span(text, set, 1);
}

unsigned long wcscspn(const int *text, const int *set) {
  return __library_wide_span(text, set, 0);
}

int *wcspbrk(const int *text, const int *set) {
  text += __library_wide_span(text, set, 0);
  return *text ? (int *)text : 0;
}

int *wcsstr(const int *text, const int *part) {
  for (;; text++) {
    unsigned long i = 0;
    while (part[i] && text[i] == part[i])
      i++;
    if (part[i] == 0)
      return (int *)text;
    if (*text == 0)
      return 0;
  }
}

int *wcstok(int *text, const int *separators, int **rest) {
  int *end;
  if (text == 0)
    text = *rest;
  if (text == 0)
    return 0;
  text += __library_wide_span(text, separators, 1);
  if (*text == 0) {
    *rest = 0;
    return 0;
  }
  end = text + __library_wide_span(text, separators, 0);
  if (*end == 0)
    *rest = 0;
  else {
    *end = 0;
    *rest = end + 1;
  }
  return text;
}

int *wcsdup(const int *text) {
  unsigned long length = 0;
  int *copy;
  while (text[length])
    length++;
  copy = __builtin_malloc((length + 1) * sizeof(int));
  if (copy)
    __library_wide_copy(copy, text);
  return copy;
}

int *wmemcpy(int *to, const int *from, unsigned long count) {
  __builtin_memcpy(to, from, count * sizeof(int));
  return to;
}

int *wmempcpy(int *to, const int *from, unsigned long count) {
  __builtin_memcpy(to, from, count * sizeof(int));
  return to + count;
}

int *wmemmove(int *to, const int *from, unsigned long count) {
  __builtin_memmove(to, from, count * sizeof(int));
  return to;
}

int *wmemset(int *to, int value, unsigned long count) {
  for (unsigned long i = 0; i < count; i++)
    to[i] = value;
  return to;
}

int wmemcmp(const int *a, const int *b, unsigned long count) {
  for (unsigned long i = 0; i < count; i++)
    if (a[i] != b[i])
      return __library_order(a[i] < b[i]);
  return 0;
}

int *wmemchr(const int *text, int wanted, unsigned long count) {
  for (unsigned long i = 0; i < count; i++)
    if (text[i] == wanted)
      return (int *)text + i;
  return 0;
}

/* The integer at the beginning of a wide string; `most` is the largest number of the type. */
static unsigned long long __library_wide_integer(const int *text, int **end, int base, int is_signed, unsigned long long most) {
  const int *at = text, *past = text;
  unsigned long long value = 0, limit;
  int negative = 0, too_large = 0;
  if (base < 0 || base == 1 || base > 36) {
    __library_errno = 22;
    return 0;
  }
  while (*at == ' ' || (*at >= '\t' && *at <= '\r'))
    at++;
  if (*at == '-') {
    negative = 1;
    at++;
  } else if (*at == '+')
    at++;
  if ((base == 0 || base == 16) && *at == '0' && (at[1] == 'x' || at[1] == 'X')
      && ((at[2] >= '0' && at[2] <= '9') || (at[2] >= 'a' && at[2] <= 'f') || (at[2] >= 'A' && at[2] <= 'F'))) {
    at += 2;
    base = 16;
  } else if (base == 0)
    base = *at == '0' ? 8 : 10;
  limit = is_signed && negative ? most + 1 : most;
  for (;; at++, past = at) {
    unsigned digit = (unsigned)*at;
    if (digit >= '0' && digit <= '9')
      digit = digit - '0';
    else if (digit >= 'a' && digit <= 'z')
      digit = digit - 'a' + 10;
    else if (digit >= 'A' && digit <= 'Z')
      digit = digit - 'A' + 10;
    else
      break;
    if (digit >= (unsigned)base)
      break;
    if (too_large || value > limit / (unsigned)base
        || (value == limit / (unsigned)base && digit > limit % (unsigned)base))
      too_large = 1;
    else
      value = value * (unsigned)base + digit;
  }
  if (end)
    *end = (int *)past;
  if (too_large) {
    __library_errno = 34;
    return is_signed ? limit : most;
  }
  return negative ? 0 - value : value;
}

long wcstol(const int *text, int **end, int base) {
  return (long)__library_wide_integer(text, end, base, 1, (unsigned long)-1 >> 1);
}

unsigned long wcstoul(const int *text, int **end, int base) {
  return (unsigned long)__library_wide_integer(text, end, base, 0, (unsigned long)-1);
}

long long wcstoll(const int *text, int **end, int base) {
  return (long long)__library_wide_integer(text, end, base, 1, (unsigned long long)-1 >> 1);
}

unsigned long long wcstoull(const int *text, int **end, int base) {
  return __library_wide_integer(text, end, base, 0, (unsigned long long)-1);
}

int iswupper(unsigned c) {
  return c >= 'A' && c <= 'Z';
}

int iswlower(unsigned c) {
  return c >= 'a' && c <= 'z';
}

int iswdigit(unsigned c) {
  return c >= '0' && c <= '9';
}

int iswxdigit(unsigned c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

int iswalpha(unsigned c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

int iswalnum(unsigned c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

int iswblank(unsigned c) {
  return c == ' ' || c == '\t';
}

int iswspace(unsigned c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

int iswcntrl(unsigned c) {
  return c < 32 || c == 127;
}

int iswprint(unsigned c) {
  return c >= 32 && c < 127;
}

int iswgraph(unsigned c) {
  return c > 32 && c < 127;
}

int iswpunct(unsigned c) {
  return c > 32 && c < 127 && !((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'));
}

unsigned towlower(unsigned c) {
  return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

unsigned towupper(unsigned c) {
  return c >= 'a' && c <= 'z' ? c - 32 : c;
}
