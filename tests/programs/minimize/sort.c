// Three numbers are sorted by three conditional swaps; the last comparison is the wrong way round.
//~ UNSAFE
//~ run: minimize --entry f
//~ run: minimize --entry f --strategy none
//~ run: minimize --entry f --inputs 7,-3,12
//~ run: minimize --entry f --inputs 1,2,3
//~ run: minimize --entry f --objective inputs,length
//~ run: verify --entry f
//~ run: verify --entry f --minimize none
void f(int a, int b, int c) {
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
}
