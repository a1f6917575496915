// Quicksort with Lomuto's partition.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

#define N 4

static void swap(int *a, int i, int j) {
  int t = a[i];
  a[i] = a[j];
  a[j] = t;
}

static int partition(int *a, int low, int high) {
  int pivot = a[high], store = low;
  for (int i = low; i < high; i++) {
    if (a[i] < pivot)
      swap(a, i, store++);
  }
  swap(a, store, high);
  return store;
}

static void quicksort(int *a, int low, int high) {
  if (low >= high)
    return;
  int p = partition(a, low, high);
#ifdef BUG
  quicksort(a, low, p - 2);
#else
  quicksort(a, low, p - 1);
#endif
  quicksort(a, p + 1, high);
}

int main(void) {
  int a[N];
  for (int i = 0; i < N; i++)
    a[i] = __VERIFIER_nondet_int();
  quicksort(a, 0, N - 1);
  for (int i = 1; i < N; i++)
    assert(a[i - 1] <= a[i]);
  return 0;
}
