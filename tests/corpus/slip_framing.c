// SLIP (RFC 1055): frames a packet for a serial line, and takes it out again.
#include <assert.h>
#include <stdint.h>
#include <string.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

enum { END = 0300, ESC = 0333, ESC_END = 0334, ESC_ESC = 0335 };

#define PACKET 3

static size_t encode(const uint8_t *p, size_t n, uint8_t *out) {
  uint8_t *start = out;
  while (n-- > 0) {
    switch (*p) {
    case END:
      *out++ = ESC;
      *out++ = ESC_END;
      break;
    case ESC:
      *out++ = ESC;
      *out++ = ESC_ESC;
      break;
    default:
      *out++ = *p;
    }
    p++;
  }
  *out++ = END;
  return out - start;
}

static size_t decode(const uint8_t *in, uint8_t *p) {
  size_t n = 0;
  for (; *in != END; in++) {
    uint8_t c = *in;
    if (c == ESC) {
      c = *++in;
#ifdef BUG
      c = c == ESC_END ? ESC : END;
#else
      c = c == ESC_END ? END : ESC;
#endif
    }
    p[n++] = c;
  }
  return n;
}

int main(void) {
  uint8_t packet[PACKET], line[2 * PACKET + 1], got[PACKET];
  for (int i = 0; i < PACKET; i++)
    packet[i] = __VERIFIER_nondet_uchar();
  size_t sent = encode(packet, PACKET, line);
  assert(sent <= sizeof line);
  assert(decode(line, got) == PACKET);
  assert(memcmp(packet, got, PACKET) == 0);
  return 0;
}
