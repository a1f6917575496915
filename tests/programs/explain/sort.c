// The causes that paper 1 gives for its example are relations of the inputs.
//~ UNSAFE
//~ run: explain
//~ run: explain --inputs-only
//~ run: explain --inputs 7,-3,12
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int a = __VERIFIER_nondet_int();
  int b = __VERIFIER_nondet_int();
  int c = __VERIFIER_nondet_int();
  int temp;
  if (a > b) {
    temp = a;
    a = b;
    b = temp;
  }
  if (b > c) {
    temp = b;
    b = c;
    c = temp;
  }
  if (a < b) {
    temp = a;
    a = b;
    b = temp;
  }
  //@ assert a <= b && b <= c;
  return 0;
}
