// Once called violated: a function was thought to be unknown where it is used before it is declared as another name of one.
//~ SAFE
//~ run: verify
extern void reach_error(void);
int one(void) { return 1; }
int uno(void);
int main(void) {
  if (uno() != 1) reach_error();
  return 0;
}
#pragma weak uno = one
