extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);
extern int outside(int);

int add(int a, int b) { return a + b; }

int main(void) {
  int n = __VERIFIER_nondet_int();
  int unset;
  int sum = add(__VERIFIER_nondet_int(), 2);
  for (int i = 0; i < n && n < 3; i++) {
    unsigned char v = __VERIFIER_nondet_uchar();
    if (!(v == 200)) return 0;
    sum = sum + v;
  }
  switch (n) {
    case 2:
      if (sum == 410 && outside(sum) > 5 && unset == 7) reach_error();
      break;
    default:
      return 1;
  }
  return 0;
}
