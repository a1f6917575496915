/* Floating-point numbers in text: strtod and strtof. A number with few digits and a small exponent is an integer times or divided by a power of
   ten, and both are exact: one rounding is left, so the result is the nearest number. Of any other, the text has to be known. */

static int __library_lettersSUFFIX(const char *text, const char *word) {
  int count = 0;
  while (word[count] && ((unsigned char)text[count] | 32) == (unsigned char)word[count])
    count++;
  return word[count] ? 0 : count;
}

/* What has no letters here is read by the library's own function; `number` is where its digits begin. */
static REAL __library_long_decimalSUFFIX(const char *text, char **end) {
  REAL value = __library_strtoPUBLIC(text, end);
  REAL size = value < 0 ? -value : value;
  if (size > GREATEST)
    __library_errno = 34;
  else if (size < LEAST)
    __library_small_number(); /* whether it is exact decides about errno */
  return value;
}

REAL __library_decimalSUFFIX(const char *text, char **end) {
  const char *at = text, *mark;
  unsigned long long digits = 0;
  int negative = 0, count = 0, scale = 0, some = 0, letters;
  REAL value, power = 1;
  while (*at == ' ' || (*at >= '\t' && *at <= '\r'))
    at++;
  if (*at == '-' || *at == '+')
    negative = *at++ == '-';
  letters = __library_lettersSUFFIX(at, "infinity");
  if (letters == 0)
    letters = __library_lettersSUFFIX(at, "inf");
  if (letters) {
    if (end)
      *end = (char *)at + letters;
    return negative ? -(REAL)__builtin_inf() : (REAL)__builtin_inf();
  }
  if (__library_lettersSUFFIX(at, "nan")) {
    if (at[3] == '(')
      __library_numbered_nan();
    if (end)
      *end = (char *)at + 3;
    return negative ? -(REAL)__builtin_nan("") : (REAL)__builtin_nan("");
  }
  if (*at == '0' && (at[1] == 'x' || at[1] == 'X'))
    return __library_long_decimalSUFFIX(text, end);
  for (; (*at >= '0' && *at <= '9') || *at == '.'; at++) {
    if (*at == '.') {
      if (some & 2)
        break;
      some |= 2;
      continue;
    }
    some |= 1;
    if (count == DIGITS)
      return __library_long_decimalSUFFIX(text, end);
    digits = digits * 10 + (unsigned)(*at - '0');
    count += digits != 0;
    scale -= some >> 1;
  }
  if (!(some & 1)) {
    if (end)
      *end = (char *)text;
    return 0;
  }
  if (*at == 'e' || *at == 'E') {
    mark = at + 1;
    int below = 0, exponent = 0;
    if (*mark == '-' || *mark == '+')
      below = *mark++ == '-';
    if (*mark >= '0' && *mark <= '9') {
      for (; *mark >= '0' && *mark <= '9'; mark++)
        if (exponent < 100000)
          exponent = exponent * 10 + (*mark - '0');
      scale += below ? -exponent : exponent;
      at = mark;
    }
  }
  if (digits == 0)
    scale = 0;
  if (scale > POWERS || scale < -POWERS)
    return __library_long_decimalSUFFIX(text, end);
  if (end)
    *end = (char *)at;
  value = (REAL)digits;
  for (int i = scale < 0 ? -scale : scale; i > 0; i--)
    power = power * 10;
  value = scale < 0 ? value / power : value * power;
  return negative ? -value : value;
}

REAL strtoPUBLIC(const char *text, char **end) {
  return __library_decimalSUFFIX(text, end);
}
