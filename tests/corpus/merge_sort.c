// Merge sort from the bottom up with one buffer.
#include <assert.h>
#include <string.h>

extern short __VERIFIER_nondet_short(void);

#define N 3

static void merge(const short *a, size_t na, const short *b, size_t nb, short *out) {
  while (na > 0 && nb > 0) {
    if (*a <= *b)
      *out++ = *a++, na--;
    else
      *out++ = *b++, nb--;
  }
  memcpy(out, a, na * sizeof *a);
#ifdef BUG
  memcpy(out, b, nb);
#else
  memcpy(out + na, b, nb * sizeof *b);
#endif
}

static void merge_sort(short *a, size_t n) {
  short buffer[N] = {0};
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t i = 0; i < n; i += 2 * width) {
      size_t middle = i + width < n ? i + width : n;
      size_t end = i + 2 * width < n ? i + 2 * width : n;
      merge(a + i, middle - i, a + middle, end - middle, buffer + i);
    }
    memcpy(a, buffer, n * sizeof *a);
  }
}

int main(void) {
  short a[N];
  for (int i = 0; i < N; i++)
    a[i] = __VERIFIER_nondet_short();
  merge_sort(a, N);
  for (int i = 1; i < N; i++)
    assert(a[i - 1] <= a[i]);
  return 0;
}
