/* The printf family as far as it writes to memory, or takes a va_list. */

struct __library_sink {
  char *to; /* null: to the stream */
  unsigned long room;
  unsigned long count;
  void *stream;
};

static void __library_put(struct __library_sink *sink, char c) {
  if (sink->stream)
    __builtin_fputc(c, sink->stream);
  else if (sink->room && sink->count < sink->room - 1)
    sink->to[sink->count] = c;
  sink->count++;
}

static void __library_repeat(struct __library_sink *sink, char c, int count) {
  for (; count > 0; count--)
    __library_put(sink, c);
}

/* The digits of a number, the last one first; how many there are. Short numbers are divided as such: that is cheaper. */
static int __library_digits(char *digits, unsigned long long value, unsigned base, int upper) {
  int count = 0;
  unsigned rest;
  while (value > 0xffffffffu) {
    unsigned digit = (unsigned)(value % base);
    digits[count++] = (char)(digit < 10 ? '0' + digit : (upper ? 'A' : 'a') + digit - 10);
    value /= base;
  }
  for (rest = (unsigned)value; rest; rest /= base) {
    unsigned digit = rest % base;
    digits[count++] = (char)(digit < 10 ? '0' + digit : (upper ? 'A' : 'a') + digit - 10);
  }
  return count;
}

struct __library_conversion {
  int left, plus, space, alternative, zero;
  int width;
  int precision; /* negative: none */
};

static void __library_put_number(struct __library_sink *sink, const struct __library_conversion *how, unsigned long long value,
                                 int negative, int is_signed, unsigned base, int upper) {
  char digits[24];
  int count = __library_digits(digits, value, base, upper);
  int zeros = how->precision < 0 ? 1 - count : how->precision - count;
  int prefixed = how->alternative && base == 16 && value;
  char sign = is_signed ? (negative ? '-' : how->plus ? '+' : how->space ? ' ' : 0) : 0;
  int length;
  if (zeros < 0)
    zeros = 0;
  if (how->alternative && base == 8 && zeros == 0)
    zeros = 1;
  if (how->alternative && base == 8 && value == 0 && how->precision < 0)
    zeros = 1;
  length = count + zeros + (sign != 0) + (prefixed ? 2 : 0);
  if (how->zero && !how->left && how->precision < 0 && length < how->width) {
    zeros += how->width - length;
    length = how->width;
  }
  if (!how->left)
    __library_repeat(sink, ' ', how->width - length);
  if (sign)
    __library_put(sink, sign);
  if (prefixed) {
    __library_put(sink, '0');
    __library_put(sink, upper ? 'X' : 'x');
  }
  __library_repeat(sink, '0', zeros);
  while (count > 0)
    __library_put(sink, digits[--count]);
  if (how->left)
    __library_repeat(sink, ' ', how->width - length);
}

static void __library_put_text(struct __library_sink *sink, const struct __library_conversion *how, const char *text,
                               unsigned long length) {
  if (!how->left)
    for (unsigned long i = length; i < (unsigned long)how->width; i++)
      __library_put(sink, ' ');
  for (unsigned long i = 0; i < length; i++)
    __library_put(sink, text[i]);
  if (how->left)
    for (unsigned long i = length; i < (unsigned long)how->width; i++)
      __library_put(sink, ' ');
}

static void __library_put_float(struct __library_sink *sink, const struct __library_conversion *how, char letter, int is_long,
                                double value, long double long_value) {
  char format[16];
  int at = 0;
  int length;
  char *text;
  format[at++] = '%';
  if (how->left)
    format[at++] = '-';
  if (how->plus)
    format[at++] = '+';
  if (how->space)
    format[at++] = ' ';
  if (how->alternative)
    format[at++] = '#';
  if (how->zero)
    format[at++] = '0';
  format[at++] = '*';
  format[at++] = '.';
  format[at++] = '*';
  if (is_long)
    format[at++] = 'L';
  format[at++] = letter;
  format[at] = 0;
  length = is_long ? __library_snprintf(0, 0, format, how->width, how->precision, long_value)
                   : __library_snprintf(0, 0, format, how->width, how->precision, value);
  text = __builtin_alloca((unsigned long)length + 1);
  if (is_long)
    __library_snprintf(text, (unsigned long)length + 1, format, how->width, how->precision, long_value);
  else
    __library_snprintf(text, (unsigned long)length + 1, format, how->width, how->precision, value);
  for (int i = 0; i < length; i++)
    __library_put(sink, text[i]);
}

/* Of the lengths, 'H' stands for hh and 'q' for ll. */
static int __library_format(struct __library_sink *sink, const char *format, __builtin_va_list list) {
  while (*format) {
    struct __library_conversion how = {0, 0, 0, 0, 0, 0, -1};
    char length = 0, letter;
    if (*format != '%') {
      __library_put(sink, *format++);
      continue;
    }
    format++;
    for (;; format++) {
      if (*format == '-')
        how.left = 1;
      else if (*format == '+')
        how.plus = 1;
      else if (*format == ' ')
        how.space = 1;
      else if (*format == '#')
        how.alternative = 1;
      else if (*format == '0')
        how.zero = 1;
      else
        break;
    }
    if (*format == '*') {
      format++;
      how.width = __builtin_va_arg(list, int);
      if (how.width < 0) {
        how.left = 1;
        how.width = -how.width;
      }
    } else
      for (; *format >= '0' && *format <= '9'; format++)
        how.width = how.width * 10 + (*format - '0');
    if (*format == '$')
      __library_positions();
    if (*format == '.') {
      format++;
      how.precision = 0;
      if (*format == '*') {
        format++;
        how.precision = __builtin_va_arg(list, int);
      } else
        for (; *format >= '0' && *format <= '9'; format++)
          how.precision = how.precision * 10 + (*format - '0');
    }
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
    } else if (*format == 'z' || *format == 't' || *format == 'Z') {
      length = 'l';
      format++;
    } else if (*format == 'L')
      length = *format++;
    letter = *format;
    __library_require(letter != 0);
    format++;
    if (letter == 'd' || letter == 'i') {
      long long value;
      unsigned long long magnitude;
      if (length == 'l')
        value = __builtin_va_arg(list, long);
      else if (length == 'q' || length == 'L')
        value = __builtin_va_arg(list, long long);
      else {
        value = __builtin_va_arg(list, int);
        if (length == 'h')
          value = (short)value;
        else if (length == 'H')
          value = (signed char)value;
      }
      magnitude = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
      __library_put_number(sink, &how, magnitude, value < 0, 1, 10, 0);
    } else if (letter == 'u' || letter == 'x' || letter == 'X' || letter == 'o') {
      unsigned long long value;
      if (length == 'l')
        value = __builtin_va_arg(list, unsigned long);
      else if (length == 'q' || length == 'L')
        value = __builtin_va_arg(list, unsigned long long);
      else {
        value = __builtin_va_arg(list, unsigned);
        if (length == 'h')
          value = (unsigned short)value;
        else if (length == 'H')
          value = (unsigned char)value;
      }
      __library_put_number(sink, &how, value, 0, 0, letter == 'u' ? 10 : letter == 'o' ? 8 : 16, letter == 'X');
    } else if (letter == 'c' && length == 0) {
      char c = (char)__builtin_va_arg(list, int);
      __library_put_text(sink, &how, &c, 1);
    } else if (letter == 's' && length == 0) {
      const char *text = __builtin_va_arg(list, const char *);
      if (text == 0)
        text = how.precision < 0 || how.precision >= 6 ? "(null)" : "";
      __library_put_text(sink, &how, text,
                         how.precision < 0 ? __builtin_strlen(text) : __builtin_strnlen(text, (unsigned long)how.precision));
    } else if (letter == '%') {
      __library_put(sink, '%');
    } else if (letter == 'f' || letter == 'F' || letter == 'e' || letter == 'E' || letter == 'g' || letter == 'G' ||
               letter == 'a' || letter == 'A') {
      if (length == 'L')
        __library_put_float(sink, &how, letter, 1, 0, __builtin_va_arg(list, long double));
      else
        __library_put_float(sink, &how, letter, 0, __builtin_va_arg(list, double), 0);
    } else if (letter == 'n') {
      void *to = __builtin_va_arg(list, void *);
      if (length == 'l')
        *(long *)to = (long)sink->count;
      else if (length == 'q')
        *(long long *)to = (long long)sink->count;
      else if (length == 'h')
        *(short *)to = (short)sink->count;
      else if (length == 'H')
        *(signed char *)to = (signed char)sink->count;
      else
        *(int *)to = (int)sink->count;
    } else if (letter == 'p')
      __library_pointer_text();
    else
      __library_conversion();
  }
  return (int)sink->count;
}

static int __library_format_to(char *to, unsigned long room, const char *format, __builtin_va_list list) {
  struct __library_sink sink = {to, room, 0, 0};
  int length = __library_format(&sink, format, list);
  if (room)
    to[sink.count < room ? sink.count : room - 1] = 0;
  return length;
}

int vsnprintf(char *to, unsigned long room, const char *format, __builtin_va_list list) {
  return __library_format_to(to, room, format, list);
}

int vsprintf(char *to, const char *format, __builtin_va_list list) {
  return __library_format_to(to, (unsigned long)-1, format, list);
}

int snprintf(char *to, unsigned long room, const char *format, ...) {
  __builtin_va_list list;
  int length;
  __builtin_va_start(list, format);
  length = __library_format_to(to, room, format, list);
  __builtin_va_end(list);
  return length;
}

int sprintf(char *to, const char *format, ...) {
  __builtin_va_list list;
  int length;
  __builtin_va_start(list, format);
  length = __library_format_to(to, (unsigned long)-1, format, list);
  __builtin_va_end(list);
  return length;
}

static int __library_print(char *to, const char *format, ...) {
  __builtin_va_list list;
  int length;
  __builtin_va_start(list, format);
  length = __library_format_to(to, (unsigned long)-1, format, list);
  __builtin_va_end(list);
  return length;
}

static int __library_format_new(char **to, const char *format, __builtin_va_list list) {
  __builtin_va_list again;
  int length;
  __builtin_va_copy(again, list);
  length = __library_format_to(0, 0, format, list);
  *to = __builtin_malloc((unsigned long)length + 1);
  if (!*to) {
    __builtin_va_end(again);
    return -1;
  }
  __library_format_to(*to, (unsigned long)length + 1, format, again);
  __builtin_va_end(again);
  return length;
}

int vasprintf(char **to, const char *format, __builtin_va_list list) {
  return __library_format_new(to, format, list);
}

int asprintf(char **to, const char *format, ...) {
  __builtin_va_list list;
  int length;
  __builtin_va_start(list, format);
  length = __library_format_new(to, format, list);
  __builtin_va_end(list);
  return length;
}

int vfprintf(void *stream, const char *format, __builtin_va_list list) {
  struct __library_sink sink = {0, 0, 0, stream};
  __library_require(stream != 0);
  return __library_format(&sink, format, list);
}

int vprintf(const char *format, __builtin_va_list list) {
  struct __library_sink sink = {0, 0, 0, (void *)2};
  return __library_format(&sink, format, list);
}
