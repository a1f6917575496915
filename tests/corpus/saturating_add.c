// Signed addition and subtraction that stop at the limits.
//~ options: -p default -p no-overflow
#include <assert.h>
#include <limits.h>

extern int __VERIFIER_nondet_int(void);

static int add_sat(int a, int b) {
  if (b > 0 && a > INT_MAX - b)
    return INT_MAX;
  if (b < 0 && a < INT_MIN - b)
    return INT_MIN;
  return a + b;
}

static int sub_sat(int a, int b) {
#ifdef BUG
  return add_sat(a, -b);
#else
  if (b < 0 && a > INT_MAX + b)
    return INT_MAX;
  if (b > 0 && a < INT_MIN + b)
    return INT_MIN;
  return a - b;
#endif
}

struct account {
  int balance;
  int fees;
};

static void deposit(struct account *a, int amount) { a->balance = add_sat(a->balance, amount); }
static void charge(struct account *a, int fee) {
  a->fees = add_sat(a->fees, fee);
  a->balance = sub_sat(a->balance, fee);
}

int main(void) {
  struct account a = {0, 0};
  for (;;) {
    int amount = __VERIFIER_nondet_int();
    if (amount >= 0) {
      int before = a.balance;
      deposit(&a, amount);
      assert(a.balance >= before);
    } else {
      charge(&a, amount);
    }
    assert(a.fees <= 0);
  }
}
