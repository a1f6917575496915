/* Streams that are read. What they contain are inputs: one for each character, where -1 is the end, and any other number that is no character
   is a failure to read, after which the stream can be read again. The standard streams are the pointers 1, 2 and 3; any other is an object that fopen made and that fclose ends. */

struct __library_stream {
  int end;
  int back; /* 0, or one more than the character that was put back */
  /* What is known of the next character where scanf went on without looking at it: no space (see scan.c); no digit, since a number ended
     before it; or what ended a number of another kind, which is not modelled. */
  int no_space, no_digit, no_part;
  int closed;
  int failed;    /* reading or flushing failed: the error indicator */
  int read_only; /* nothing can be written to it */
};

static struct __library_stream __library_standard[3];

/* Whether writing can fail: 1 where the environment says so (--output-may-fail). */
static const int __library_output_may_fail;

static struct __library_stream *__library_open_stream(void *file) {
  if ((unsigned long)file - 1 < 3) {
    struct __library_stream *stream = &__library_standard[(unsigned long)file - 1];
    __library_require(!stream->closed);
    return stream;
  }
  return file;
}

static int __library_get(struct __library_stream *stream) {
  int c;
  if (stream->back) {
    c = stream->back - 1;
    stream->back = 0;
    return c;
  }
  if (stream->end)
    return -1;
  if (stream->no_part && !stream->no_space)
    __library_after_number();
  if (stream->no_space) {
    c = __library_input_after_spaces();
    __CPROVER_assume(!(c == ' ' || (c >= '\t' && c <= '\r')));
  } else {
    c = __library_input_character();
    if (stream->no_digit)
      __CPROVER_assume(!(c >= '0' && c <= '9'));
  }
  stream->no_space = stream->no_digit = stream->no_part = 0;
  if (c < 0 || c > 255) {
    stream->end = c == -1;
    stream->failed = stream->failed || c != -1;
    return -1;
  }
  return c;
}

int fgetc(void *file) {
  return __library_get(__library_open_stream(file));
}

int getc(void *file) {
  return __library_get(__library_open_stream(file));
}

int _IO_getc(void *file) {
  return __library_get(__library_open_stream(file));
}

int fgetc_unlocked(void *file) {
  return __library_get(__library_open_stream(file));
}

int getc_unlocked(void *file) {
  return __library_get(__library_open_stream(file));
}

int getchar(void) {
  return __library_get(__library_open_stream((void *)1));
}

int getchar_unlocked(void) {
  return __library_get(__library_open_stream((void *)1));
}

int ungetc(int c, void *file) {
  struct __library_stream *stream = __library_open_stream(file);
  if (c == -1)
    return -1;
  if (stream->back)
    __library_pushback();
  stream->back = (unsigned char)c + 1;
  stream->end = 0;
  return (unsigned char)c;
}

char *fgets(char *to, int room, void *file) {
  struct __library_stream *stream = __library_open_stream(file);
  int length = 0;
  if (room <= 0)
    return 0;
  while (length < room - 1) {
    int c = __library_get(stream);
    if (c < 0) {
      if (length == 0 || !stream->end)
        return 0;
      break;
    }
    to[length++] = (char)c;
    if (c == '\n')
      break;
  }
  to[length] = 0;
  return to;
}

char *gets(char *to) {
  struct __library_stream *stream = __library_open_stream((void *)1);
  unsigned long length = 0;
  for (;;) {
    int c = __library_get(stream);
    if (c < 0 && (length == 0 || !stream->end))
      return 0;
    if (c < 0 || c == '\n')
      break;
    to[length++] = (char)c;
  }
  to[length] = 0;
  return to;
}

static long __library_get_line(char **line, unsigned long *room, int last, void *file) {
  struct __library_stream *stream = __library_open_stream(file);
  unsigned long length = 0;
  if (line == 0 || room == 0) {
    __library_errno = 22;
    return -1;
  }
  if (*line == 0 || *room == 0) {
    char *larger = __builtin_realloc(*line, 120);
    if (!larger)
      return -1;
    *room = 120;
    *line = larger;
  }
  for (;;) {
    int c = __library_get(stream);
    if (c < 0 && (length == 0 || !stream->end))
      return -1;
    if (c < 0)
      break;
    if (length + 2 > *room) {
      unsigned long more = *room * 2 > length + 2 ? *room * 2 : length + 2;
      char *larger = __builtin_realloc(*line, more);
      if (!larger)
        return -1;
      *room = more;
      *line = larger;
    }
    (*line)[length++] = (char)c;
    if (c == last)
      break;
  }
  (*line)[length] = 0;
  return (long)length;
}

long getline(char **line, unsigned long *room, void *file) {
  return __library_get_line(line, room, '\n', file);
}

long getdelim(char **line, unsigned long *room, int last, void *file) {
  return __library_get_line(line, room, last, file);
}

unsigned long fread(void *to, unsigned long size, unsigned long count, void *file) {
  struct __library_stream *stream = __library_open_stream(file);
  unsigned char *bytes = to;
  unsigned long all = size * count, read = 0;
  if (all == 0)
    return 0;
  __library_require(all / size == count);
  while (read < all) {
    int c = __library_get(stream);
    if (c < 0)
      return size == 1 ? read : read / size;
    bytes[read++] = (unsigned char)c;
  }
  return count;
}

int feof(void *file) {
  return __library_open_stream(file)->end;
}

int feof_unlocked(void *file) {
  return __library_open_stream(file)->end;
}

/* Functions that write keep no record of failures, so what they did to the indicator is not known. */
int ferror(void *file) {
  struct __library_stream *stream = __library_open_stream(file);
  if (__library_output_may_fail && !stream->failed && file != (void *)1 && !stream->read_only && __library_input_int() != 0)
    __library_failed_write();
  return stream->failed;
}

int ferror_unlocked(void *file) {
  return ferror(file);
}

int fflush(void *file) {
  struct __library_stream *stream = file ? __library_open_stream(file) : 0;
  if (!__library_output_may_fail || file == (void *)1 || (stream && stream->read_only) || __library_input_int() == 0)
    return 0;
  if (!stream)
    __library_failed_write();
  stream->failed = 1;
  return -1;
}

int fflush_unlocked(void *file) {
  return fflush(file);
}

void clearerr(void *file) {
  struct __library_stream *stream = __library_open_stream(file);
  stream->end = stream->failed = 0;
}

void *fopen(const char *name, const char *mode) {
  struct __library_stream *stream;
  __builtin_strlen(name);
  if (*mode != 'r' && *mode != 'w' && *mode != 'a') {
    __library_errno = 22;
    return 0;
  }
  if (__library_input_int() == 0) {
    __library_errno = __library_input_int();
    __CPROVER_assume(__library_errno > 0 && __library_errno < 134);
    return 0;
  }
  stream = __library_object(sizeof(struct __library_stream));
  stream->end = stream->back = stream->no_space = stream->no_digit = stream->no_part = stream->closed = stream->failed = 0;
  stream->read_only = *mode == 'r' && !__builtin_strchr(mode, '+');
  return stream;
}

int fclose(void *file) {
  struct __library_stream *stream = __library_open_stream(file);
  if ((unsigned long)file - 1 < 3)
    stream->closed = 1;
  else
    __library_end_object(stream);
  return __library_output_may_fail && __library_input_int() != 0 ? -1 : 0;
}

long read(int file, void *to, unsigned long count) {
  unsigned char *bytes = to;
  long done = (long)__library_input_size();
  (void)file;
  __CPROVER_assume(done >= -1 && (done < 0 || (unsigned long)done <= count));
  if (done < 0) {
    __library_errno = __library_input_int();
    __CPROVER_assume(__library_errno > 0 && __library_errno < 134);
    return -1;
  }
  for (long i = 0; i < done; i++) {
    int c = __library_input_character();
    __CPROVER_assume(c >= 0 && c <= 255);
    bytes[i] = (unsigned char)c;
  }
  return done;
}
