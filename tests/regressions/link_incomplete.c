//~ run: replay --quiet %s tests/regressions/link_incomplete_part.c
// This file never learns what is in the struct or how long the arrays are.
extern struct opaque thing;
extern int numbers[], (*whole)[];
int get(struct opaque *);
int main(void) {
  struct opaque *p = &thing;
  int (*q)[] = &numbers;
  return get(p) + get(&thing) + (*q)[1] + numbers[2] + (q == whole);
}
