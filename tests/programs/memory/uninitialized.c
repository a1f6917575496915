//~ run: replay --quiet
//~ run: replay --quiet --uninitialized error
//~ run: replay --quiet --uninitialized error --entry copied
//~ run: replay --quiet --uninitialized error -p initialized --entry heap
void *malloc(unsigned long);
int main(void) { int x; int y = x; return y; }
struct s { int a, b; };
int copied(void) { struct s s, t; s.a = 1; t = s; return t.a; }
int heap(void) { int *p = malloc(8); p[0] = 1; return p[0] + p[1]; }
