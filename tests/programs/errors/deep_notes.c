//~ run: check
int f(int a);
double f(double a) { return a; }
int f(int a) { return a; }
int x = 1;
int x = 2;
extern char x;
struct p { int a; };
struct p { int b; };
enum { ONE, ONE };
int g(void) { int y = 1; { int y; } int y; return y; }
