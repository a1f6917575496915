// Once called correct: the engine that executes took the value of a function that returns none as 0.
//~ UNSAFE
//~ run: verify
extern void reach_error(void);
int f(int a) {
  if (a > 3) return 1;
}
int main(void) {
  int x = f(2);
  if (x) reach_error();
  return 0;
}
