//~ run: replay --quiet
//~ run: replay --quiet --entry index
// A value that nobody uses is still read.
int main(void) { int *p = 0; *p; return 0; }
int index(void) { int a[2] = { 0 }, i = 3; a[i]; return 0; }
