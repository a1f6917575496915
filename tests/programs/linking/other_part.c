int shared = 10, table[] = { 1, 2, 3 };
struct point { int x, y; } origin = { 1, 2 };
static int hidden = 100;
static int helper(void) { return hidden; }
int common;
int get(void) { return helper() + shared + common; }
int untyped(int a, int b) { return a * 10 + b; }
