// A difference in a loop: which round, and what the rest of the loop makes of it does not count.
//~ UNSAFE
//~ run: explain --inputs 3,1,200,2
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  int largest = 0;
  for (int i = 0; i < n; i++) {
    int x = __VERIFIER_nondet_int();
    if (x > largest) largest = x;
    //@ assert largest <= 100;
  }
  return largest;
}
