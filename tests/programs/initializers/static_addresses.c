//~ run: replay --quiet
//~ gcc
int printf(const char *, ...);
static int f(void) { return 42; }
struct node { struct node *next; int v; };
static int a[5] = { 1, 2, 3, 4, 5 };
static int *mid = &a[2], *end = a + 5, *back = &a[4] - 1;
static struct node n1, n2 = { &n1, 2 }, n1 = { &n2, 1 };
static struct { int (*fp)(void); const char *s; void *self; long diff; } r = { f, "abc" + 1, &r, sizeof a };
static int *field = &n2.v;
static char *bytes = (char *)&a[1] + 1;
static struct node *list = &(struct node){ &(struct node){ 0, 8 }, 9 };
static long number = (long)0x1234, off = (long)&((struct node *)0)->v;
int main(void) {
  static int counter = 3; static int *to_counter = &counter;
  *to_counter += 1;
  printf("%d %d %d %d\n", *mid, (int)(end - a), *back, n2.next->next->v);
  printf("%d %s %d %ld %d %d\n", r.fp(), r.s, r.self == &r, r.diff, *field, (int)(bytes - (char *)a));
  printf("%d %d %lx %ld %d\n", list->v, list->next->v, number, off, counter);
  return 0;
}
