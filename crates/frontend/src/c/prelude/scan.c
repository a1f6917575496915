/* The scanf family.

   From a string, the format is matched with its characters. From a stream, what is read is as good as any text: how many spaces are skipped
   cannot be seen, so the next character is just none; and a number without a width is an input, whose digits are not looked at one by one. */

struct __library_source {
  const char *text; /* null: the stream */
  struct __library_stream *stream;
  unsigned long count;
};

static int __library_scan_get(struct __library_source *from) {
  if (from->text) {
    unsigned char c = (unsigned char)from->text[from->count];
    if (c == 0)
      return -1;
    from->count++;
    return c;
  }
  return __library_get(from->stream);
}

/* Puts back what was read last. */
static void __library_scan_unget(struct __library_source *from, int c) {
  if (c < 0)
    return;
  if (from->text)
    from->count--;
  else
    from->stream->back = c + 1;
}

static int __library_is_space(int c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static void __library_skip_spaces(struct __library_source *from) {
  int c;
  if (from->text == 0 && (from->stream->back == 0 || __library_is_space(from->stream->back - 1))) {
    from->stream->back = 0;
    from->stream->no_space = 1;
    return;
  }
  do
    c = __library_scan_get(from);
  while (__library_is_space(c));
  __library_scan_unget(from, c);
}

static void __library_store(void *to, char length, unsigned long long value) {
  if (length == 'H')
    *(unsigned char *)to = (unsigned char)value;
  else if (length == 'h')
    *(unsigned short *)to = (unsigned short)value;
  else if (length == 'l')
    *(unsigned long *)to = (unsigned long)value;
  else if (length == 'q' || length == 'L')
    *(unsigned long long *)to = value;
  else
    *(unsigned *)to = (unsigned)value;
}

static int __library_digit(int c, int base) {
  int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
  return digit < base ? digit : -1;
}

/* A number, character by character, as glibc reads it: through long or long long, with the nearest one for what is none of these. 1: read, 0: there is none, -1: the end. */
static int __library_scan_digits(struct __library_source *from, int base, int is_signed, char length, int width, unsigned long long *value) {
  int is_long_long = length == 'q' || length == 'L' || sizeof(long) == 8;
  unsigned long long limit = is_long_long ? (unsigned long long)-1 : (unsigned long)-1;
  unsigned long long result = 0, most, rest;
  int negative = 0, any = 0, too_large = 0;
  int c = __library_scan_get(from);
  if (c < 0)
    return -1;
  if (is_signed)
    limit = (limit >> 1) + 1;
  if (c == '-' || c == '+') {
    negative = c == '-';
    if (width > 0)
      width--;
    c = width ? __library_scan_get(from) : -2;
  }
  if (width && c == '0') {
    any = 1;
    if (width > 0)
      width--;
    c = width ? __library_scan_get(from) : -2;
    if (width && (c == 'x' || c == 'X') && (base == 0 || base == 16)) {
      base = 16;
      if (width > 0)
        width--;
      c = width ? __library_scan_get(from) : -2;
    } else if (base == 0)
      base = 8;
  }
  if (base == 0)
    base = 10;
  most = limit / (unsigned)base;
  rest = limit % (unsigned)base;
  while (width && c >= 0) {
    int digit = __library_digit(c, base);
    if (digit < 0)
      break;
    any = 1;
    if (too_large || result > most || (result == most && (unsigned)digit > rest))
      too_large = 1;
    else
      result = result * (unsigned)base + (unsigned)digit;
    if (width > 0)
      if (width > 0)
      width--;
    c = width ? __library_scan_get(from) : -2;
  }
  __library_scan_unget(from, c);
  if (!any)
    return 0;
  if (is_signed && !negative && result == limit)
    too_large = 1;
  if (too_large)
    result = is_signed && !negative ? limit - 1 : limit;
  if (negative && (is_signed || !too_large))
    result = 0 - result;
  *value = result;
  return 1;
}

/* The same, where a stream is at a number without a width. */
static int __library_scan_number(struct __library_source *from, int base, int is_signed, char length, int width, unsigned long long *value) {
  struct __library_stream *stream = from->stream;
  int kind;
  if (from->text || width > 0 || stream->back || stream->end)
    return __library_scan_digits(from, base, is_signed, length, width > 0 ? width : -1, value);
  kind = __library_input_int();
  if (kind == 0) {
    stream->end = 1;
    return -1;
  }
  if (kind == -2147483647 - 1) { /* reading fails */
    stream->failed = 1;
    return -1;
  }
  if (kind < 0) {
    int c = __library_get(stream);
    __CPROVER_assume(c >= 0 && !(c >= '0' && c <= '9') && c != '-' && c != '+');
    __CPROVER_assume(base == 10 || base == 8 || __library_digit(c, 16) < 0);
    stream->back = c + 1;
    return 0;
  }
  *value = (unsigned long long)__library_input_number();
  stream->no_space = 0;
  stream->no_digit = base == 10;
  stream->no_part = base != 10;
  return 1;
}

/* What a text is stored in, or null. */
static int __library_scan_text(struct __library_source *from, char *to, int width, const unsigned char *set, int ends) {
  unsigned long count = 0;
  int c = __library_scan_get(from);
  if (c < 0)
    return -1;
  while (width && c >= 0 && set[c]) {
    if (to)
      to[count] = (char)c;
    count++;
    if (width > 0)
      if (width > 0)
      width--;
    c = width ? __library_scan_get(from) : -2;
  }
  __library_scan_unget(from, c);
  if (count == 0)
    return 0;
  if (to && ends)
    to[count] = 0;
  return 1;
}

/* Characters of any kind, for %c; as with glibc, fewer at the end of a text. */
static int __library_scan_characters(struct __library_source *from, char *to, int width) {
  for (int i = 0; i < width; i++) {
    int c = __library_scan_get(from);
    if (c < 0)
      return i == 0 ? -1 : 1;
    if (to)
      to[i] = (char)c;
  }
  return 1;
}

/* A floating-point number in a string. Where scanf looks further than strtod does, it is not modelled. */
static int __library_scan_float(struct __library_source *from, void *to, char length) {
  const char *at = from->text + from->count, *first = at;
  char *end;
  if (*at == 0)
    return -1;
  if (*first == '-' || *first == '+')
    first++;
  if (*first == 'i' || *first == 'I' || *first == 'n' || *first == 'N' || (*first == '0' && (first[1] == 'x' || first[1] == 'X')))
    __library_conversion();
  if (length == 'l') {
    double value = __library_decimal(at, &end);
    if (end != at && to)
      *(double *)to = value;
  } else if (length == 'L') {
    long double value = __builtin_strtold(at, &end);
    if (end != at && to)
      *(long double *)to = value;
  } else {
    float value = __library_decimalf(at, &end);
    if (end != at && to)
      *(float *)to = value;
  }
  if (end == at)
    return 0;
  if (*end == 'e' || *end == 'E')
    __library_conversion();
  from->count += (unsigned long)(end - at);
  return 1;
}

/* As with glibc, what is not stored does not count: the end of the input before anything was stored is -1. */
static int __library_scan(struct __library_source *from, const char *format, __builtin_va_list list) {
  int stored = 0;
  while (*format) {
    int suppressed = 0, width = 0, done, c;
    char length = 0, letter;
    if (__library_is_space((unsigned char)*format)) {
      __library_skip_spaces(from);
      format++;
      continue;
    }
    if (*format != '%' || format[1] == '%') {
      if (*format == '%') {
        __library_skip_spaces(from);
        format++;
      }
      c = __library_scan_get(from);
      if (c != (unsigned char)*format) {
        __library_scan_unget(from, c);
        return c < 0 && stored == 0 ? -1 : stored;
      }
      format++;
      continue;
    }
    format++;
    if (*format == '*') {
      suppressed = 1;
      format++;
    }
    for (; *format >= '0' && *format <= '9'; format++)
      width = width * 10 + (*format - '0');
    if (*format == '$')
      __library_positions();
    if (*format == 'h') {
      length = *format++;
      if (*format == 'h') {
        length = 'H';
        format++;
      }
    } else if (*format == 'l') {
      length = *format++;
      if (*format == 'l') {
        length = 'q';
        format++;
      }
    } else if (*format == 'q' || *format == 'j') {
      length = 'q';
      format++;
    } else if (*format == 'z' || *format == 't') {
      length = 'l';
      format++;
    } else if (*format == 'L')
      length = *format++;
    letter = *format;
    __library_require(letter != 0);
    format++;
    if (letter == 'n') {
      if (from->text == 0)
        __library_conversion();
      if (!suppressed)
        __library_store(__builtin_va_arg(list, void *), length, from->count);
      continue;
    }
    if (letter != 'c' && letter != '[')
      __library_skip_spaces(from);
    if (letter == 'd' || letter == 'i' || letter == 'u' || letter == 'x' || letter == 'X' || letter == 'o') {
      unsigned long long value = 0;
      int base = letter == 'i' ? 0 : letter == 'o' ? 8 : letter == 'x' || letter == 'X' ? 16 : 10;
      done = __library_scan_number(from, base, letter == 'd' || letter == 'i', length, width, &value);
      if (done > 0 && !suppressed)
        __library_store(__builtin_va_arg(list, void *), length, value);
    } else if (letter == 'f' || letter == 'F' || letter == 'e' || letter == 'E' || letter == 'g' || letter == 'G') {
      if (width || (from->text == 0 && (from->stream->back || length == 'L')))
        __library_conversion();
      if (from->text)
        done = __library_scan_float(from, suppressed ? 0 : __builtin_va_arg(list, void *), length);
      else
        done = from->stream->end ? -1 : __library_input_int();
      if (from->text) {
      } else if (done == 0) {
        c = __library_get(from->stream);
        __CPROVER_assume(c >= 0 && !(c >= '0' && c <= '9') && c != '-' && c != '+' && c != '.');
        __CPROVER_assume(c != 'i' && c != 'I' && c != 'n' && c != 'N');
        from->stream->back = c + 1;
      } else if (done == -2147483647 - 1) {
        from->stream->failed = 1;
      } else if (done < 0) {
        from->stream->end = 1;
      } else {
        from->stream->no_space = 0;
        from->stream->no_part = 1;
        if (!suppressed) {
          void *to = __builtin_va_arg(list, void *);
          if (length == 'l')
            *(double *)to = __library_input_double();
          else
            *(float *)to = __library_input_float();
        }
      }
    } else if (letter == 'c' && length == 0) {
      done = __library_scan_characters(from, suppressed ? 0 : __builtin_va_arg(list, char *), width ? width : 1);
    } else if ((letter == 's' || letter == '[') && length == 0) {
      unsigned char set[256];
      int inverted = letter == 's', first = 1;
      if (letter == '[' && *format == '^') {
        inverted = 1;
        format++;
      }
      for (int i = 0; i < 256; i++)
        set[i] = (unsigned char)inverted;
      if (letter == 's') {
        for (int i = '\t'; i <= '\r'; i++)
          set[i] = 0;
        set[' '] = 0;
      } else {
        for (; *format != ']' || first; first = 0) {
          unsigned char low = (unsigned char)*format, high = low;
          __library_require(low != 0);
          if (format[1] == '-' && format[2] != ']' && format[2] != 0) {
            high = (unsigned char)format[2];
            format += 2;
          }
          for (int i = low; i <= high; i++)
            set[i] = (unsigned char)!inverted;
          format++;
        }
        format++;
      }
      done = __library_scan_text(from, suppressed ? 0 : __builtin_va_arg(list, char *), width ? width : -1, set, 1);
    } else {
      __library_conversion();
      done = 0;
    }
    if (done < 0)
      return stored == 0 ? -1 : stored;
    if (done == 0)
      return stored;
    stored += !suppressed;
  }
  return stored;
}

static int __library_scan_string(const char *text, const char *format, __builtin_va_list list) {
  struct __library_source from = {text, 0, 0};
  __builtin_strlen(text);
  return __library_scan(&from, format, list);
}

static int __library_scan_stream(void *file, const char *format, __builtin_va_list list) {
  struct __library_source from = {0, __library_open_stream(file), 0};
  return __library_scan(&from, format, list);
}

int vsscanf(const char *text, const char *format, __builtin_va_list list) {
  return __library_scan_string(text, format, list);
}

int vscanf(const char *format, __builtin_va_list list) {
  return __library_scan_stream((void *)1, format, list);
}

int vfscanf(void *file, const char *format, __builtin_va_list list) {
  return __library_scan_stream(file, format, list);
}

int sscanf(const char *text, const char *format, ...) {
  __builtin_va_list list;
  int stored;
  __builtin_va_start(list, format);
  stored = __library_scan_string(text, format, list);
  __builtin_va_end(list);
  return stored;
}

int scanf(const char *format, ...) {
  __builtin_va_list list;
  int stored;
  __builtin_va_start(list, format);
  stored = __library_scan_stream((void *)1, format, list);
  __builtin_va_end(list);
  return stored;
}

int fscanf(void *file, const char *format, ...) {
  __builtin_va_list list;
  int stored;
  __builtin_va_start(list, format);
  stored = __library_scan_stream(file, format, list);
  __builtin_va_end(list);
  return stored;
}

int __isoc99_sscanf(const char *text, const char *format, ...) {
  __builtin_va_list list;
  int stored;
  __builtin_va_start(list, format);
  stored = __library_scan_string(text, format, list);
  __builtin_va_end(list);
  return stored;
}

int __isoc99_scanf(const char *format, ...) {
  __builtin_va_list list;
  int stored;
  __builtin_va_start(list, format);
  stored = __library_scan_stream((void *)1, format, list);
  __builtin_va_end(list);
  return stored;
}

int __isoc99_fscanf(void *file, const char *format, ...) {
  __builtin_va_list list;
  int stored;
  __builtin_va_start(list, format);
  stored = __library_scan_stream(file, format, list);
  __builtin_va_end(list);
  return stored;
}
