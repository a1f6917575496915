// Payments in and out of an account with a limit and a fee. Mutants of this program measure how well faults are localized: each line `test` is a standard input.
//~ test: 100 -30\n
//~ test: -50\n
//~ test: -49\n
//~ test: -60 10\n
//~ test: 200 -100 -100\n
//~ test: 10 -10\n
//~ test: 100 -1\n
//~ test: -20 -20 -20\n
//~ test: 99 -1 -1\n
//~ test: 500 -450 -100 -2\n
#include <stdio.h>

static int read_all(int *a, int most) {
  int n = 0;
  while (n < most && scanf("%d", &a[n]) == 1)
    n++;
  return n;
}

static int balance, refused;

static void pay(int amount) {
  int fee = 0;
  if (amount < 0 && balance < 100)
    fee = 1;
  if (balance + amount - fee < -50) {
    refused++;
    return;
  }
  balance = balance + amount - fee;
}

int main(void) {
  int a[32];
  int n = read_all(a, 32);
  for (int i = 0; i < n; i++)
    pay(a[i]);
  printf("%d %d\n", balance, refused);
  return 0;
}
