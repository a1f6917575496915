// Decodes UTF-8 strictly.
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

#define INVALID 0xffffffffu

static uint32_t decode(const uint8_t **at, const uint8_t *end) {
  static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  uint8_t first = *(*at)++;
  int more;
  uint32_t value;
  if (first < 0x80)
    return first;
  if ((first & 0xe0) == 0xc0)
    more = 1, value = first & 0x1f;
  else if ((first & 0xf0) == 0xe0)
    more = 2, value = first & 0x0f;
  else if ((first & 0xf8) == 0xf0)
    more = 3, value = first & 0x07;
  else
    return INVALID;
#ifndef BUG
  if (end - *at < more)
    return INVALID;
#else
  if (*at == end)
    return INVALID;
#endif
  for (int i = 0; i < more; i++) {
    uint8_t byte = *(*at)++;
    if ((byte & 0xc0) != 0x80)
      return INVALID;
    value = value << 6 | (byte & 0x3f);
  }
  if (value < least[more] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
    return INVALID;
  return value;
}

int main(void) {
  uint8_t text[4];
  for (size_t i = 0; i < sizeof text; i++)
    text[i] = __VERIFIER_nondet_uchar();
  const uint8_t *at = text, *end = text + sizeof text;
  int characters = 0;
  while (at < end) {
    uint32_t c = decode(&at, end);
    if (c == INVALID)
      break;
    assert(c <= 0x10ffff);
    assert(at <= end);
    characters++;
  }
  assert(characters <= 4);
  return 0;
}
