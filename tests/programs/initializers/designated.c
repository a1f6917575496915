//~ run: replay --quiet
//~ gcc
int printf(const char *, ...);
struct point { int x, y; };
struct line { struct point from, to; const char *name; int tags[3]; };
static struct line g = { .name = "g", .to = { .y = 4, .x = 3 }, .from.y = 2, .tags = { [1] = 7 } };
static struct line e = { 1, 2, 3, 4, "elided", 5, 6 };
static int sparse[] = { [5] = 50, 60, [2] = 20, 30, [5] = 55 };
static int range[10] = { [1 ... 3] = 4, 9, [7 ... 9] = 1 };
static struct point ps[] = { [2] = { 1 }, [0].y = 5, [1] = { .y = 8 } };
static int grid[2][3] = { { 1 }, 4, 5 };
static int flat[2][3] = { 1, 2, 3, 4 };
static void show(const char *what, const struct line *l) {
  printf("%s: %d %d %d %d %s %d %d %d\n", what, l->from.x, l->from.y, l->to.x, l->to.y, l->name, l->tags[0], l->tags[1], l->tags[2]);
}
int main(void) {
  show("g", &g); show("e", &e);
  struct line l = { .to.x = 1, .name = "local", .tags[2] = 9, .tags[0] = 8 };
  show("l", &l);
  struct point p = { 1, 2 };
  struct line c = { p, .to.y = 5, "copy", { [0] = 1 }, };
  show("c", &c);
  show("literal", &(struct line){ .name = "lit", .from = (struct point){ 6, 7 } });
  for (unsigned i = 0; i < sizeof sparse / sizeof *sparse; i++) printf("%d ", sparse[i]);
  for (int i = 0; i < 10; i++) printf("%d ", range[i]);
  for (int i = 0; i < 3; i++) printf("(%d,%d) ", ps[i].x, ps[i].y);
  for (int i = 0; i < 6; i++) printf("%d/%d ", grid[i / 3][i % 3], flat[i / 3][i % 3]);
  printf("%d\n", (int)(sizeof ps / sizeof *ps));
  return 0;
}
