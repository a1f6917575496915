/* string.h: what the interpreter and the encoding do not compute themselves. */

static char *__library_next_token;

static char *__library_token(char *text, const char *separators, char **rest) {
  char *end;
  text += __builtin_strspn(text, separators);
  if (*text == 0) {
    *rest = text;
    return 0;
  }
  end = text + __builtin_strcspn(text, separators);
  if (*end == 0) {
    *rest = end;
    return text;
  }
  *end = 0;
  *rest = end + 1;
  return text;
}

char *strtok(char *text, const char *separators) {
  return __library_token(text ? text : __library_next_token, separators, &__library_next_token);
}

char *strtok_r(char *text, const char *separators, char **rest) {
  return __library_token(text ? text : *rest, separators, rest);
}

char *__strtok_r(char *text, const char *separators, char **rest) {
  return __library_token(text ? text : *rest, separators, rest);
}

static char *__library_separate(char **rest, const char *separators) {
  char *text = *rest, *end;
  if (text == 0)
    return 0;
  end = text + __builtin_strcspn(text, separators);
  if (*end) {
    *end = 0;
    *rest = end + 1;
  } else
    *rest = 0;
  return text;
}

char *strsep(char **rest, const char *separators) {
  return __library_separate(rest, separators);
}

char *__strsep(char **rest, const char *separators) {
  return __library_separate(rest, separators);
}

void *memccpy(void *to, const void *from, int last, unsigned long count) {
  unsigned char *target = to;
  const unsigned char *source = from;
  for (unsigned long i = 0; i < count; i++) {
    target[i] = source[i];
    if (source[i] == (unsigned char)last)
      return target + i + 1;
  }
  return 0;
}

void *memmem(const void *text, unsigned long length, const void *part, unsigned long part_length) {
  const char *at = text;
  if (part_length == 0)
    return (void *)text;
  for (unsigned long i = 0; i + part_length <= length && i + part_length >= i; i++)
    if (__builtin_memcmp(at + i, part, part_length) == 0)
      return (void *)(at + i);
  return 0;
}

char *stpncpy(char *to, const char *from, unsigned long count) {
  unsigned long length = __builtin_strnlen(from, count);
  __builtin_strncpy(to, from, count);
  return to + length;
}

unsigned long strlcpy(char *to, const char *from, unsigned long room) {
  unsigned long length = __builtin_strlen(from);
  if (room) {
    unsigned long copied = length < room ? length : room - 1;
    __builtin_memcpy(to, from, copied);
    to[copied] = 0;
  }
  return length;
}

unsigned long strlcat(char *to, const char *from, unsigned long room) {
  unsigned long length = __builtin_strlen(from), used = __builtin_strnlen(to, room);
  if (used < room) {
    unsigned long copied = length < room - used ? length : room - used - 1;
    __builtin_memcpy(to + used, from, copied);
    to[used + copied] = 0;
  }
  return used + length;
}

char *strcasestr(const char *text, const char *part) {
  unsigned long length = __builtin_strlen(part);
  for (;; text++) {
    if (__builtin_strncasecmp(text, part, length) == 0)
      return (char *)text;
    if (*text == 0)
      return 0;
  }
}
