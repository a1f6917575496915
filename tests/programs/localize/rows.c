// A harness that goes over the rows of a table: each row is a test, whether it asserts or counts what is wrong.
//~ UNSAFE
//~ run: localize
//~ run: localize -DCOUNTED --tests tests/programs/localize/rows.c
//~ run: localize -DCOUNTED -DNO_TABLE --tests tests/programs/localize/rows.c
#include <assert.h>
#include <stddef.h>

struct row {
  const char *text;
  int base, expected;
};

static int parse(const char *text, int base) {
  int value = 0, negative = 0;
  if (*text == '-') {
    negative = 1;
    text++;
  }
  while (*text) {
    int digit = *text >= 'a' ? *text - 'a' + 11 : *text - '0';
    value = value * base + digit;
    text++;
  }
  return negative ? -value : value;
}

static const struct row rows[] = {
  { "0", 10, 0 }, { "12", 10, 12 }, { "ff", 16, 255 }, { "-5", 10, -5 }, { "101", 2, 5 }, { "-a", 16, -10 }, { NULL, 0, 0 },
};

int main(void) {
#ifdef NO_TABLE
  return parse("ff", 16) != 255;
#elif defined COUNTED
  int failures = 0;
  for (const struct row *row = rows; row->text != NULL; row++)
    if (parse(row->text, row->base) != row->expected)
      failures++;
  return failures;
#else
  for (size_t i = 0; i < sizeof rows / sizeof rows[0] - 1; i++)
    assert(parse(rows[i].text, rows[i].base) == rows[i].expected);
  return 0;
#endif
}
