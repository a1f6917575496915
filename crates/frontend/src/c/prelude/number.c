/* Numbers in text: strtol and its relatives. */

double __library_decimal(const char *text, char **end);
float __library_decimalf(const char *text, char **end);

double atof(const char *text) {
  return __library_decimal(text, 0);
}

/* The magnitude of the number at the beginning of a text, at most `limit`. `past` is where it ends, or the text itself if there is none. */
static unsigned long long __library_magnitude(const char *text, const char **past, int base, unsigned long long limit,
                                              int *negative, int *too_large) {
  const char *at = text;
  unsigned long long value = 0, most, rest;
  *past = text;
  *negative = 0;
  *too_large = 0;
  while (*at == ' ' || (*at >= '\t' && *at <= '\r'))
    at++;
  if (*at == '-') {
    *negative = 1;
    at++;
  } else if (*at == '+')
    at++;
  if ((base == 0 || base == 16) && *at == '0' && (at[1] == 'x' || at[1] == 'X') && __builtin_isxdigit((unsigned char)at[2])) {
    at += 2;
    base = 16;
  } else if (base == 0)
    base = *at == '0' ? 8 : 10;
  most = limit / (unsigned)base;
  rest = limit % (unsigned)base;
  for (;;) {
    unsigned digit = (unsigned char)*at;
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
    if (*too_large || value > most || (value == most && digit > rest))
      *too_large = 1;
    else
      value = value * (unsigned)base + digit;
    at++;
    *past = at;
  }
  return value;
}

/* `most` is the largest number of the type. */
static unsigned long long __library_integer(const char *text, char **end, int base, int is_signed, unsigned long long most) {
  const char *past;
  int negative, too_large;
  unsigned long long value;
  if (base < 0 || base == 1 || base > 36) {
    __library_errno = 22;
    return 0;
  }
  value = __library_magnitude(text, &past, base, is_signed ? most + 1 : most, &negative, &too_large);
  if (end)
    *end = (char *)past;
  if (is_signed && !negative && value > most)
    too_large = 1;
  if (too_large) {
    __library_errno = 34;
    return is_signed && negative ? 0 - most - 1 : most;
  }
  return negative ? 0 - value : value;
}

long strtol(const char *text, char **end, int base) {
  return (long)__library_integer(text, end, base, 1, (unsigned long)-1 >> 1);
}

unsigned long strtoul(const char *text, char **end, int base) {
  return (unsigned long)__library_integer(text, end, base, 0, (unsigned long)-1);
}

long long strtoll(const char *text, char **end, int base) {
  return (long long)__library_integer(text, end, base, 1, (unsigned long long)-1 >> 1);
}

unsigned long long strtoull(const char *text, char **end, int base) {
  return __library_integer(text, end, base, 0, (unsigned long long)-1);
}

long long strtoimax(const char *text, char **end, int base) {
  return (long long)__library_integer(text, end, base, 1, (unsigned long long)-1 >> 1);
}

unsigned long long strtoumax(const char *text, char **end, int base) {
  return __library_integer(text, end, base, 0, (unsigned long long)-1);
}

long long strtoq(const char *text, char **end, int base) {
  return (long long)__library_integer(text, end, base, 1, (unsigned long long)-1 >> 1);
}

unsigned long long strtouq(const char *text, char **end, int base) {
  return __library_integer(text, end, base, 0, (unsigned long long)-1);
}
