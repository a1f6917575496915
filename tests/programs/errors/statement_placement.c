//~ run: check
// One message a mistake, and the text after it is read again.
int f(void) { int a = 1; a = ; a = 2; return a; }
int g(void) { return h(1, ); }
int i(int, int y) { return y; }
int j() { else return 1; }
int k(void) { int a[2]; a[0 = 1; a[1] = ok; return a[1]; }
int ok;
