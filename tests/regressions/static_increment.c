// Once a crash: a side effect in the initializer of a static object, before the function does anything.
//~ run: check
int a[2], i;
int main(void) {
  static int x = a[i++];
  return x;
}
