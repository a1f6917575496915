// The shortest run leaves the loop as soon as possible; one input does not matter at all.
//~ UNSAFE
//~ run: minimize --inputs 5,77,3,4,9,6,1
//~ run: minimize --objective values --inputs 5,77,3,4,9,6,1
//~ run: minimize --objective calls,length,values --inputs 5,77,3,4,9,6,1
extern int __VERIFIER_nondet_int(void);

int twice(int x) { return x + x; }

int main(void) {
  int n = __VERIFIER_nondet_int();
  int unused = __VERIFIER_nondet_int();
  int sum = 0;
  for (int i = 0; i < n; i++) {
    int x = __VERIFIER_nondet_int();
    if (x > 5)
      sum += x;
    else
      sum += twice(x);
  }
  //@ assert sum < 20;
  return 0;
}
