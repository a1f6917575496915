//~ run: replay --quiet
char *s = "text";
int main(void) { s[0] = 'T'; return 0; }
