//~ run: check
// A jump to nowhere after code that runs.
int main(void) { int x = 1; x++; goto nowhere; return x; }
int next(void) { return missing; }
