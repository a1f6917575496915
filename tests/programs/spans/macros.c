//~ run: replay
// A place inside a macro's expansion is where the macro is used.
#define TWICE(e) ((e) + (e))
#define CHECK(c) do { if (!(c)) __VERIFIER_error(); } while (0)
#define NOTHING
extern void __VERIFIER_error(void);

int main(void) {
  int a = 3;
  int NOTHING b = TWICE(a); CHECK(a == 3);
      CHECK(b == 7);
  return 0;
}
