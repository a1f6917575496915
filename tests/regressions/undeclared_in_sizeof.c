//~ run: check
int main(void) { return sizeof missing + missing; }
int f(void) { return sizeof(typeof(lost)) + (lost = 1); }
