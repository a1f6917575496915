// An address may be used again after `free`; once a wrong `true`.
//~ UNKNOWN!
//~ run: verify
extern void reach_error(void);
extern void *malloc(unsigned long);
extern void free(void *);
int main(void) {
  char *p = malloc(8);
  unsigned long a = (unsigned long)p;
  free(p);
  char *q = malloc(8);
  if ((unsigned long)q == a) reach_error();
  free(q);
  return 0;
}
