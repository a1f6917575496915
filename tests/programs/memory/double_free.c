//~ run: replay --quiet
//~ run: replay --quiet --entry inside
//~ run: replay --quiet --entry local
//~ run: replay --quiet --entry null
void *malloc(unsigned long);
void free(void *);
int main(void) { char *p = malloc(3), *q = p; free(p); free(q); return 0; }
int inside(void) { char *p = malloc(3); free(p + 1); return 0; }
int local(void) { int x; free(&x); return 0; }
int null(void) { free(0); return 0; }
