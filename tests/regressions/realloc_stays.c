// `realloc` may leave the allocation where it is; once a wrong `true`.
//~ UNKNOWN!
//~ run: verify
extern void reach_error(void);
extern void *malloc(unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);
int main(void) {
  char *p = malloc(8);
  char *q = realloc(p, 4);
  if (q == p) reach_error();
  free(q);
  return 0;
}
