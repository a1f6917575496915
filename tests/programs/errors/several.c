//~ run: check
//~ run: replay
//~ run: check --json
int f(int a, int b);
int main(void) {
  int x = y + 1;
  x = f(1);
  int *p = x.field;
  return p->nothing
}
int g(void) { return "text" * 2; }
struct s { int a; } s;
void h(void) { s.b = 1; s + 1; break; goto nowhere; int s; int s; }
