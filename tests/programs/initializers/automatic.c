//~ run: replay
// Values are evaluated in the order of the members, each once; what is not mentioned is zero.
static int n;
static int next(void) { return ++n; }
struct s { int a, b; int c[4]; };
int main(void) {
  struct s s = { .b = next(), .a = next(), .c = { next(), [3] = next() } };
  int big[40] = { [38] = 5, 6 };
  char text[] = "hi";
  int scalar = { 7 };
  //@ assert s.a == 1 && s.b == 2 && s.c[1] == 0 && s.c[3] == 4;
  //@ assert big[0] == 0 && big[39] == 6;
  return text[1] + scalar == 'i' + 7 ? 0 : 1;
}
