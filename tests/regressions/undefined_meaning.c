// What functions without a body do can be chosen; what is assumed about them is said.
//~ UNSAFE
//~ run: verify
//~ run: verify --undefined-functions havoc --json
//~ SAFE
//~ run: verify --undefined-functions pure
//~ UNKNOWN!
//~ run: verify --undefined-functions error
//~ UNSAFE
//~ run: minimize
//~ run: explain
//~ run: localize
//~ run: replay --inputs 7
//~ run: replay --undefined-functions pure
extern void reach_error(void);
extern void init(int *);
int main(void) {
  int x = 0;
  init(&x);
  if (x > 3) reach_error();
  return 0;
}
