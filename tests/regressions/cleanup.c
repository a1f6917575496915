// Once called correct: the function that a variable's attribute names was not called.
//~ UNSAFE
//~ run: verify
extern void reach_error(void);
static void done(int *x) { if (*x == 3) reach_error(); }
int main(void) {
  int x __attribute__((cleanup(done))) = 3;
  return 0;
}
