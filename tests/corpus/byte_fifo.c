// A byte queue that copies in at most two pieces, as drivers for serial ports do.
#include <assert.h>
#include <stdint.h>
#include <string.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

#define SIZE 8u
#define MASK (SIZE - 1u)
#define MIN(a, b) ((a) < (b) ? (a) : (b))

typedef struct {
  uint8_t data[SIZE];
  uint32_t in, out;
} fifo_t;

static uint32_t fifo_used(const fifo_t *f) { return f->in - f->out; }

static uint32_t fifo_write(fifo_t *f, const uint8_t *from, uint32_t len) {
  len = MIN(len, SIZE - fifo_used(f));
  uint32_t offset = f->in & MASK;
  uint32_t first = MIN(len, SIZE - offset);
  memcpy(f->data + offset, from, first);
#ifdef BUG
  memcpy(f->data, from + first, SIZE - first);
#else
  memcpy(f->data, from + first, len - first);
#endif
  f->in += len;
  return len;
}

static uint32_t fifo_read(fifo_t *f, uint8_t *to, uint32_t len) {
  len = MIN(len, fifo_used(f));
  uint32_t offset = f->out & MASK;
  uint32_t first = MIN(len, SIZE - offset);
  memcpy(to, f->data + offset, first);
  memcpy(to + first, f->data, len - first);
  f->out += len;
  return len;
}

int main(void) {
  fifo_t f = {.in = 0xfffffffdu, .out = 0xfffffffdu};
  uint8_t sent[5], got[5];
  uint32_t n = __VERIFIER_nondet_uint();
  if (n > sizeof sent)
    return 0;
  for (uint32_t i = 0; i < n; i++)
    sent[i] = __VERIFIER_nondet_uchar();
  uint32_t written = fifo_write(&f, sent, n);
  assert(written == n);
  uint32_t read = fifo_read(&f, got, sizeof got);
  assert(read == n);
  for (uint32_t i = 0; i < n; i++)
    assert(got[i] == sent[i]);
  return 0;
}
