// Sets that are united, with path halving.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

#define N 4

static unsigned parent[N], size[N];

static unsigned find(unsigned x) {
  while (parent[x] != x) {
    parent[x] = parent[parent[x]];
    x = parent[x];
  }
  return x;
}

static void unite(unsigned a, unsigned b) {
  a = find(a);
  b = find(b);
#ifndef BUG
  if (a == b)
    return;
#endif
  if (size[a] < size[b]) {
    unsigned t = a;
    a = b;
    b = t;
  }
  parent[b] = a;
  size[a] += size[b];
}

int main(void) {
  for (unsigned i = 0; i < N; i++) {
    parent[i] = i;
    size[i] = 1;
  }
  for (int i = 0; i < 3; i++) {
    unsigned a = __VERIFIER_nondet_uint() % N, b = __VERIFIER_nondet_uint() % N;
    unite(a, b);
    unsigned root = find(a);
    assert(root == find(b));
    assert(size[root] <= N);
  }
  return 0;
}
