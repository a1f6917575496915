// Once its witnesses were not confirmed, or had flaws: operations that macros put on one line were taken for others.
//~ UNSAFE
//~ run: verify
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
#define IN() __VERIFIER_nondet_int()
#define CHECK(c) if (!(c)) reach_error()
int main(void) {
  int x = IN(); int y = IN(); int z = IN() + IN();
  CHECK(x != 3); CHECK(y != 4 || x != 5); CHECK(z != x + y);
  return 0;
}
