// Once called true: with the other order of the two calls the assertion fails.
//~ UNKNOWN!
//~ run: verify
extern void reach_error(void);
int n;
static int first(void) { return n++ == 0; }
static int second(void) { return n++ == 1; }
int main(void) {
  if (first() + second() != 2) reach_error();
  return 0;
}
