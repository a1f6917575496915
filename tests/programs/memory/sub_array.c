//~ run: replay --quiet
//~ run: replay --quiet --entry pointer
// An index belongs to its own array, even inside a larger object; a pointer may go anywhere in the object.
struct s { int a[2]; int b; } s = { { 1, 2 }, 3 };
int grid[2][2] = { { 1, 2 }, { 3, 4 } };
int main(void) {
  int i = 2;
  return grid[0][i];
}
int pointer(void) {
  int *p = &s.a[0];
  p[2] = 7;
  return s.b;
}
