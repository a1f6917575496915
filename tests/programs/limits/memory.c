//~ run: replay --quiet --max-memory 8
//~ run: replay --quiet --max-memory 8 --entry huge
void *malloc(unsigned long);
int main(void) { for (;;) { char *p = malloc(1 << 20); p[0] = 1; } }
int huge(void) { char *p = malloc(1ul << 62); return p == 0; }
