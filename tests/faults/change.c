// Coins for an amount. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
//~ test: 0\n
//~ test: 1\n
//~ test: 5\n
//~ test: 10\n
//~ test: 25\n
//~ test: 41\n
//~ test: 99\n
//~ test: 30\n
//~ test: 67\n
//~ test: 14\n
#include <stdio.h>

static int read_all(int *a, int most) {
  int n = 0;
  while (n < most && scanf("%d", &a[n]) == 1)
    n++;
  return n;
}

static int coins(int amount, int *count) {
  int values[4] = {25, 10, 5, 1};
  int all = 0;
  for (int i = 0; i < 4; i++) {
    count[i] = amount / values[i];
    amount = amount - count[i] * values[i];
    all += count[i];
  }
  return all;
}

int main(void) {
  int a[32];
  read_all(a, 32);
  int count[4];
  int all = coins(a[0], count);
  printf("%d: %d %d %d %d\n", all, count[0], count[1], count[2], count[3]);
  return 0;
}
