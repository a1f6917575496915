//~ run: replay --quiet
//~ gcc
// Memory is bytes: read it as any type, move it, copy it.
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
struct s { char tag; int n; short h; };
int main(void) {
  double d = -2.5; unsigned long bits; memcpy(&bits, &d, 8); printf("%lx\n", bits);
  float f = 1; unsigned u = *(unsigned *)&f; printf("%x\n", u);
  struct s a = { 'x', 7, 9 }, b; b = a; printf("%d\n", memcmp(&a.n, &b.n, sizeof b.n));
  unsigned char *p = (unsigned char *)&a; p[4] = 1; p[5] = 2; printf("%d\n", a.n);
  int *grid = malloc(6 * sizeof *grid); for (int i = 0; i < 6; i++) grid[i] = i * i;
  int (*rows)[3] = (int (*)[3])grid; printf("%d %d\n", rows[1][2], (int)sizeof *rows);
  int *moved = realloc(grid, 8 * sizeof *moved); moved[7] = 1; printf("%d\n", moved[5]); free(moved);
  int *q = &a.n; void *v = q; char *c = v; printf("%d\n", (int)(c - (char *)&a));
  struct s *box = calloc(2, sizeof *box); box[1].n = 3; printf("%d %d\n", box[0].n, (box + 1)->n);
  int **pp = malloc(sizeof *pp); *pp = &box[1].n; memcpy(&q, pp, sizeof q); printf("%d\n", *q);
  int x = 1; { int x = 2; { extern int y; x += y; } printf("%d ", x); } printf("%d\n", x);
  int n = 4; int vla[n][2]; vla[3][1] = 5; printf("%d %d\n", vla[3][1], (int)sizeof vla);
  return 0;
}
int y = 40;
