// Orders tasks by their dependencies, or finds that there is a cycle.
#include <assert.h>
#include <stdbool.h>
#include <string.h>

extern _Bool __VERIFIER_nondet_bool(void);

#define N 3

static bool depends[N][N];

static int order_tasks(int *order) {
  int waiting[N] = {0}, n = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      waiting[i] += depends[i][j];
  int queue[N], first = 0, last = 0;
  for (int i = 0; i < N; i++)
    if (waiting[i] == 0)
      queue[last++] = i;
  while (first < last) {
    int task = queue[first++];
    order[n++] = task;
    for (int i = 0; i < N; i++)
#ifdef BUG
      if (depends[i][task] && --waiting[i] <= 1)
#else
      if (depends[i][task] && --waiting[i] == 0)
#endif
        queue[last++] = i;
  }
  return n;
}

int main(void) {
  int order[N], position[N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      depends[i][j] = __VERIFIER_nondet_bool();
  int n = order_tasks(order);
  if (n < N)
    return 1;
  for (int i = 0; i < N; i++)
    position[order[i]] = i;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      if (depends[i][j])
        assert(position[j] < position[i]);
  return 0;
}
