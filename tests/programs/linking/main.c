//~ run: replay --quiet %s tests/programs/linking/other_part.c
//~ run: check %s tests/programs/linking/clash_part.c
//~ run: replay --quiet
int printf(const char *, ...);
extern int shared, table[];
extern struct point { int x, y; } origin;
int get(void);
static int hidden = 1;
static int helper(void) { return hidden; }
int common;
int main(void) {
  shared += helper();
  common = 4;
  printf("%d %d %d %d %d\n", shared, get(), table[2], origin.y, untyped(2, 3));
  return 0;
}
