// Once called an invalid dereference: a function that is called through a type that it does not have is undefined behaviour of another kind.
//~ UNKNOWN!
//~ run: verify --property valid-deref
//~ run: verify --property valid-deref --entry result
//~ run: verify --property valid-deref --entry declared
//~ SAFE
//~ run: verify --property valid-deref --entry unprototyped
void nothing(void) { }
int number(void) { return 1; }
int main(void) {
  void (*f)(int) = (void (*)(int))nothing;
  f(3);
  return 0;
}
int result(void) {
  double (*f)(void) = (double (*)(void))number;
  return f() > 0;
}
int declared(void) {
  struct { void (*f)(void); } s = { nothing };
  ((int (*)(int, int))s.f)(1, 2);
  return 0;
}
static int old(a) int a; { return a; }
int unprototyped(void) {
  int (*f)() = old;
  return f(3) - 3;
}
