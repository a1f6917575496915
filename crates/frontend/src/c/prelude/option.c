/* getopt.h, as glibc does it: words that are no options are moved behind the options, unless the text of options begins with `+` or `-` or the
   environment has POSIXLY_CORRECT. Messages about wrong options go to the standard error and are not made. */

char *optarg;
int optind = 1;
int opterr = 1;
int optopt = '?';

static char *__library_option_rest;
static int __library_first_word, __library_last_word; /* words that were passed over and lie before the options */
static int __library_option_order;                    /* 0: stop at a word, 1: move words, 2: a word is an option with the code 1 */
static int __library_options_begun;

struct __library_option {
  const char *name;
  int has_arg;
  int *flag;
  int val;
};

static void __library_swap_words(char **words, int a, int b, int count) {
  for (int i = 0; i < count; i++) {
    char *word = words[a + i];
    words[a + i] = words[b + i];
    words[b + i] = word;
  }
}

/* Moves the words that were passed over behind the options that were read since. */
static void __library_move_words(char **words) {
  int bottom = __library_first_word, middle = __library_last_word, top = optind;
  while (top > middle && middle > bottom) {
    int above = top - middle, below = middle - bottom;
    if (above > below) {
      __library_swap_words(words, bottom, top - below, below);
      top -= below;
    } else {
      __library_swap_words(words, bottom, middle, above);
      bottom += above;
    }
  }
  __library_first_word += optind - __library_last_word;
  __library_last_word = optind;
}

static int __library_is_word(const char *text) {
  return text[0] != '-' || text[1] == 0;
}

/* The option whose name is at `__library_option_rest`; -1: it is to be read as short options. */
static int __library_long_option(int count, char **words, const char *options, const struct __library_option *names, int *index,
                                 int long_only) {
  const struct __library_option *option, *found = 0;
  const char *end = __library_option_rest;
  unsigned long length;
  int number, found_number = -1, ambiguous = 0;
  while (*end && *end != '=')
    end++;
  length = end - __library_option_rest;
  for (option = names, number = 0; option->name; option++, number++)
    if (__builtin_strncmp(option->name, __library_option_rest, length) == 0 && option->name[length] == 0) {
      found = option;
      found_number = number;
      break;
    }
  if (!found)
    for (option = names, number = 0; option->name; option++, number++)
      if (__builtin_strncmp(option->name, __library_option_rest, length) == 0) {
        if (!found) {
          found = option;
          found_number = number;
        } else if (long_only || found->has_arg != option->has_arg || found->flag != option->flag || found->val != option->val)
          ambiguous = 1;
      }
  if (ambiguous) {
    __library_option_rest = 0;
    optind++;
    optopt = 0;
    return '?';
  }
  if (!found) {
    if (long_only && words[optind][1] != '-' && __builtin_strchr(options, *__library_option_rest))
      return -1;
    __library_option_rest = 0;
    optind++;
    optopt = 0;
    return '?';
  }
  optind++;
  __library_option_rest = 0;
  if (*end) {
    if (!found->has_arg) {
      optopt = found->val;
      return '?';
    }
    optarg = (char *)end + 1;
  } else if (found->has_arg == 1) {
    if (optind >= count) {
      optopt = found->val;
      return options[0] == ':' ? ':' : '?';
    }
    optarg = words[optind++];
  }
  if (index)
    *index = found_number;
  if (found->flag) {
    *found->flag = found->val;
    return 0;
  }
  return found->val;
}

static int __library_next_option(int count, char **words, const char *options, const struct __library_option *names, int *index,
                                 int long_only) {
  const char *known;
  char c;
  if (count < 1)
    return -1;
  optarg = 0;
  if (optind == 0 || !__library_options_begun) {
    if (optind == 0)
      optind = 1;
    __library_first_word = __library_last_word = optind;
    __library_option_rest = 0;
    if (options[0] == '-' || options[0] == '+')
      __library_option_order = options[0] == '-' ? 2 : 0;
    else
      __library_option_order = __library_variable("POSIXLY_CORRECT") ? 0 : 1;
    __library_options_begun = 1;
  }
  if (options[0] == '-' || options[0] == '+')
    options++;
  if (__library_option_rest == 0 || *__library_option_rest == 0) {
    if (__library_last_word > optind)
      __library_last_word = optind;
    if (__library_first_word > optind)
      __library_first_word = optind;
    if (__library_option_order == 1) {
      if (__library_first_word != __library_last_word && __library_last_word != optind)
        __library_move_words(words);
      else if (__library_last_word != optind)
        __library_first_word = optind;
      while (optind < count && __library_is_word(words[optind]))
        optind++;
      __library_last_word = optind;
    }
    if (optind != count && __builtin_strcmp(words[optind], "--") == 0) {
      optind++;
      if (__library_first_word != __library_last_word && __library_last_word != optind)
        __library_move_words(words);
      else if (__library_first_word == __library_last_word)
        __library_first_word = optind;
      __library_last_word = count;
      optind = count;
    }
    if (optind == count) {
      if (__library_first_word != __library_last_word)
        optind = __library_first_word;
      return -1;
    }
    if (__library_is_word(words[optind])) {
      if (__library_option_order == 0)
        return -1;
      optarg = words[optind++];
      return 1;
    }
    if (names) {
      if (words[optind][1] == '-') {
        __library_option_rest = words[optind] + 2;
        return __library_long_option(count, words, options, names, index, long_only);
      }
      if (long_only && (words[optind][2] || !__builtin_strchr(options, words[optind][1]))) {
        int code;
        __library_option_rest = words[optind] + 1;
        code = __library_long_option(count, words, options, names, index, long_only);
        if (code != -1)
          return code;
      }
    }
    __library_option_rest = words[optind] + 1;
  }
  c = *__library_option_rest++;
  known = __builtin_strchr(options, c);
  if (*__library_option_rest == 0)
    optind++;
  if (known == 0 || c == ':' || c == ';') {
    optopt = c;
    return '?';
  }
  if (known[0] == 'W' && known[1] == ';' && names)
    __library_long_option_by_letter();
  if (known[1] == ':') {
    if (*__library_option_rest) {
      optarg = __library_option_rest;
      optind++;
    } else if (known[2] == ':')
      optarg = 0;
    else if (optind == count) {
      optopt = c;
      c = options[0] == ':' ? ':' : '?';
    } else
      optarg = words[optind++];
    __library_option_rest = 0;
  }
  return c;
}

int getopt(int count, char *const *words, const char *options) {
  return __library_next_option(count, (char **)words, options, 0, 0, 0);
}

int getopt_long(int count, char *const *words, const char *options, const void *names, int *index) {
  return __library_next_option(count, (char **)words, options, (const struct __library_option *)names, index, 0);
}

int getopt_long_only(int count, char *const *words, const char *options, const void *names, int *index) {
  return __library_next_option(count, (char **)words, options, (const struct __library_option *)names, index, 1);
}
