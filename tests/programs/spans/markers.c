//~ run: replay
// Line markers of a preprocessor: places are those of the file they name, not of this one.
int main(void) {
  int x = 1;
# 100 "elsewhere.c" 1
  int y = x + 1;
  x = y /
      (y - 2);
# 8 "tests/programs/spans/markers.c" 2
  return x;
}
