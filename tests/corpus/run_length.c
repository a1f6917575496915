// Run-length coding of bytes and its inverse.
#include <assert.h>
#include <stdint.h>
#include <string.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

#define N 4

static size_t pack(const uint8_t *in, size_t n, uint8_t *out) {
  size_t written = 0;
  for (size_t i = 0; i < n;) {
    uint8_t run = 1;
#ifdef BUG
    while (in[i + run] == in[i] && run < 255)
#else
    while (i + run < n && in[i + run] == in[i] && run < 255)
#endif
      run++;
    out[written++] = run;
    out[written++] = in[i];
    i += run;
  }
  return written;
}

static size_t unpack(const uint8_t *in, size_t n, uint8_t *out, size_t room) {
  size_t written = 0;
  for (size_t i = 0; i + 1 < n; i += 2) {
    if (in[i] > room - written)
      return 0;
    memset(out + written, in[i + 1], in[i]);
    written += in[i];
  }
  return written;
}

int main(void) {
  uint8_t data[N], packed[2 * N], back[N];
  for (int i = 0; i < N; i++)
    data[i] = __VERIFIER_nondet_uchar();
  size_t n = pack(data, N, packed);
  assert(n >= 2 && n <= sizeof packed);
  assert(unpack(packed, n, back, sizeof back) == N);
  assert(memcmp(data, back, N) == 0);
  return 0;
}
