// Decodes %XX and + in a URL.
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

extern char __VERIFIER_nondet_char(void);

static int hex_value(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  c = (char)tolower((unsigned char)c);
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return -1;
}

static char *url_decode(const char *in) {
  size_t length = strlen(in);
#ifdef BUG
  char *out = malloc(length);
#else
  char *out = malloc(length + 1);
#endif
  if (!out)
    return NULL;
  char *p = out;
  while (*in) {
    if (*in == '%' && hex_value(in[1]) >= 0 && hex_value(in[2]) >= 0) {
      *p++ = (char)(hex_value(in[1]) * 16 + hex_value(in[2]));
      in += 3;
    } else {
      *p++ = *in == '+' ? ' ' : *in;
      in++;
    }
  }
  *p = '\0';
  return out;
}

int main(void) {
  char url[6];
  for (int i = 0; i < 5; i++)
    url[i] = __VERIFIER_nondet_char();
  url[5] = '\0';
  char *plain = url_decode(url);
  if (plain) {
    assert(strlen(plain) <= strlen(url));
    if (!strchr(url, '%') && !strchr(url, '+'))
      assert(strcmp(plain, url) == 0);
  }
  free(plain);
  return 0;
}
