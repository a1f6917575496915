//~ run: replay --quiet
// A statically initialised flexible array has the elements it was given, and no more.
struct v { int n; int a[]; } x = { 2, { 1, 2 } };
int main(void) {
  int s = 0;
  for (int i = 0; i <= x.n; i++) s += x.a[i];
  return s;
}
