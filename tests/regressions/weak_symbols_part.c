int strong = 2, zeroed, table[2] = {7, 8}, first __attribute__((weak)) = 7;
int f(void) { return 2; }
int g(void) { return 11; }
int h(void) __attribute__((weak));
int h(void) { return 21; }
__attribute__((weak)) int k(void) { return 30; }
int call(void) { return f() + h(); }
