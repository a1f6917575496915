//~ run: replay --quiet
int main(void) { "abc"[1] = 'x'; return 0; }
