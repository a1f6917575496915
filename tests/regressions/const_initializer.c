// Once rejected: to gcc a `const` object, an element of one and a compound literal are constants in the initializer of a static object.
//~ SAFE
//~ run: verify
extern void reach_error(void);
const int one = 1, row[2] = {5, -6};
static const int same = one;
int product = one * 7 + row[1], literal = (int){42}, chosen = one ? row[0] : 0, letter = "abc"[1];
const struct s { int a; signed b : 3; const char *text; const int *number; } whole = {1, -2, "hi", &one};
int field = whole.b;
const char *text = whole.text;
struct { int first; struct s inner; } outer = {4, whole};
union u { int i; float f; } cast = (union u)1.5f;
typedef const double real;
real half = 0.5;
double two = half * 4;
static int get(void) { return 7; }
static int (*const getter)(void) = get;
int (*pointer)(void) = getter;
int main(void) {
  const int local = 9;
  static int ten = local + 1;
  static struct s copy = whole;
  if (same != 1 || product != 1 || literal != 42 || chosen != 5 || letter != 'b') reach_error();
  if (field != -2 || text[1] != 'i' || outer.inner.a != 1 || *outer.inner.number != 1 || cast.f != 1.5f) reach_error();
  if (two != 2 || pointer() != 7 || ten != 10 || copy.b != -2 || copy.number != &one) reach_error();
  return 0;
}
