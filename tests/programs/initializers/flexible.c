//~ run: replay --quiet
//~ gcc
int printf(const char *, ...);
void *malloc(unsigned long);
struct v { int n; int a[]; };
static struct v x = { 2, { 1, 2 } };
struct text { short len; char s[]; } hello = { 5, "hello" }, empty = { 0 };
struct v *p = &x;
struct deep { struct v *v; char tag[]; } d = { &x, { [3] = 'z' } };
extern struct v later;
int first(void) { return later.a[2]; }
struct v later = { 3, { 7, 8, 9 } };
int main(void) {
  static struct v local = { .n = 1, .a = { 5 } };
  struct v *m = malloc(sizeof *m + 2 * sizeof(int));
  m->n = 2; m->a[1] = 6;
  printf("%d %d %d %d\n", x.n, x.a[1], p->a[0], (int)sizeof x);
  printf("%d %s %d\n", hello.len, hello.s, (int)sizeof hello);
  printf("%d %c %d %d %d\n", d.v->a[1], d.tag[3], local.a[0], m->a[1], first());
  x = *m; printf("%d %d\n", x.n, x.a[0]);
  return 0;
}
