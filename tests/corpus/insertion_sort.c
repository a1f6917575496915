// Insertion sort with a callback that compares.
#include <assert.h>
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);

typedef int (*compare_fn)(int, int);

static int ascending(int a, int b) { return a < b ? -1 : a > b; }
static int descending(int a, int b) { return -ascending(a, b); }

static void sort(int *a, size_t n, compare_fn compare) {
  for (size_t i = 1; i < n; i++) {
    int x = a[i];
    size_t j = i;
#ifdef BUG
    for (; j > 1 && compare(a[j - 1], x) > 0; j--)
#else
    for (; j > 0 && compare(a[j - 1], x) > 0; j--)
#endif
      a[j] = a[j - 1];
    a[j] = x;
  }
}

int main(void) {
  int a[4];
  const size_t n = sizeof a / sizeof a[0];
  for (size_t i = 0; i < n; i++)
    a[i] = __VERIFIER_nondet_int();
  int down = __VERIFIER_nondet_int();
  sort(a, n, down ? descending : ascending);
  for (size_t i = 1; i < n; i++)
    assert(down ? a[i - 1] >= a[i] : a[i - 1] <= a[i]);
  return 0;
}
