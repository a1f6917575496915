// A binary heap in an array.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

#define MAX 4

static int heap[MAX];
static int size;

static void swap(int *a, int *b) {
  int t = *a;
  *a = *b;
  *b = t;
}

static void heap_push(int x) {
  assert(size < MAX);
  int i = size++;
  heap[i] = x;
  while (i > 0 && heap[(i - 1) / 2] > heap[i]) {
    swap(&heap[(i - 1) / 2], &heap[i]);
    i = (i - 1) / 2;
  }
}

static int heap_pop(void) {
  assert(size > 0);
  int top = heap[0];
  heap[0] = heap[--size];
  for (int i = 0;;) {
    int child = 2 * i + 1;
    if (child >= size)
      break;
#ifdef BUG
    if (child + 1 < size && heap[child + 1] < heap[i])
#else
    if (child + 1 < size && heap[child + 1] < heap[child])
#endif
      child++;
    if (heap[i] <= heap[child])
      break;
    swap(&heap[i], &heap[child]);
    i = child;
  }
  return top;
}

int main(void) {
  for (int i = 0; i < MAX; i++)
    heap_push(__VERIFIER_nondet_int());
  int last = heap_pop();
  while (size > 0) {
    int next = heap_pop();
    assert(last <= next);
    last = next;
  }
  return 0;
}
