// Reads a packet of type-length-value records.
#include <assert.h>
#include <stdint.h>
#include <string.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

#define PACKET 6

enum type { T_END = 0, T_NAME = 1, T_PORT = 2 };

struct host {
  char name[4];
  uint16_t port;
};

static int parse(const uint8_t *p, size_t n, struct host *h) {
  size_t at = 0;
  memset(h, 0, sizeof *h);
  while (at + 2 <= n) {
    uint8_t type = p[at], length = p[at + 1];
    at += 2;
#ifndef BUG
    if (length > n - at)
      return -1;
#else
    if (at > n)
      return -1;
#endif
    switch (type) {
    case T_END:
      return 0;
    case T_NAME:
      if (length >= sizeof h->name)
        return -1;
      memcpy(h->name, p + at, length);
      h->name[length] = '\0';
      break;
    case T_PORT:
      if (length != 2)
        return -1;
      h->port = (uint16_t)(p[at] << 8 | p[at + 1]);
      break;
    default:
      break;
    }
    at += length;
  }
  return 0;
}

int main(void) {
  uint8_t packet[PACKET];
  struct host h;
  for (int i = 0; i < PACKET; i++)
    packet[i] = __VERIFIER_nondet_uchar();
  if (parse(packet, sizeof packet, &h) == 0)
    assert(strlen(h.name) < sizeof h.name);
  return 0;
}
