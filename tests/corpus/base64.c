// Encodes in base 64 and decodes again.
#include <assert.h>
#include <stddef.h>
#include <string.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned __VERIFIER_nondet_uint(void);

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static size_t encode(const unsigned char *in, size_t n, char *out) {
  char *start = out;
  for (size_t i = 0; i < n; i += 3) {
    unsigned word = in[i] << 16;
#ifdef BUG
    word |= in[i + 1] << 8;
    word |= in[i + 2];
#else
    if (i + 1 < n)
      word |= in[i + 1] << 8;
    if (i + 2 < n)
      word |= in[i + 2];
#endif
    *out++ = alphabet[word >> 18 & 63];
    *out++ = alphabet[word >> 12 & 63];
    *out++ = i + 1 < n ? alphabet[word >> 6 & 63] : '=';
    *out++ = i + 2 < n ? alphabet[word & 63] : '=';
  }
  *out = '\0';
  return out - start;
}

static int digit(char c) {
  const char *at = memchr(alphabet, c, 64);
  return at ? (int)(at - alphabet) : 0;
}

int main(void) {
  unsigned char data[4];
  char text[9];
  size_t n = __VERIFIER_nondet_uint() % (sizeof data + 1);
  for (size_t i = 0; i < sizeof data; i++)
    data[i] = __VERIFIER_nondet_uchar();
  size_t length = encode(data, n, text);
  assert(length % 4 == 0 && strlen(text) == length);
  if (n == 2)
    assert(digit(text[0]) << 2 == (data[0] & ~3));
  return 0;
}
