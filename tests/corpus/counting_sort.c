// Sorts bytes by counting them.
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

#define VALUES 4
#define N 3

static void counting_sort(const uint8_t *in, uint8_t *out, size_t n) {
  size_t start[VALUES + 1] = {0};
  for (size_t i = 0; i < n; i++)
    start[in[i] + 1]++;
  for (size_t v = 0; v < VALUES; v++)
    start[v + 1] += start[v];
  for (size_t i = 0; i < n; i++) {
    uint8_t value = in[i];
    out[start[value]++] = value;
  }
}

int main(void) {
  uint8_t in[N], out[N];
  for (size_t i = 0; i < N; i++) {
    in[i] = __VERIFIER_nondet_uchar();
#ifdef BUG
    in[i] &= VALUES;
#else
    in[i] &= VALUES - 1;
#endif
  }
  counting_sort(in, out, N);
  for (size_t i = 1; i < N; i++)
    assert(out[i - 1] <= out[i]);
  return 0;
}
