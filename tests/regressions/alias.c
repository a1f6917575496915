// Once called violated: another name of a function was thought to be an unknown function.
//~ SAFE
//~ run: verify
extern void reach_error(void);
int one(void) { return 1; }
int uno(void) __attribute__((alias("one")));
int main(void) {
  if (uno() != 1) reach_error();
  return 0;
}
