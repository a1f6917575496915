// After `i = 2` the text `a[i]` means another element, so nothing may be said of it there.
//~ UNSAFE
//~ run: localize --entry f --inputs 3 --method errinv
void f(int n) {
  int a[4] = {0, 0, 0, 0};
  int i = 1;
  a[i] = n;
  i = 2;
  int y = a[1] + i;
  //@ assert y != 5;
}
