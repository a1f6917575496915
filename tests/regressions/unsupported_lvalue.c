//~ run: check
//~ run: replay --quiet
// Writing to a part of something unsupported is accepted like reading it.
typedef float v4 __attribute__((vector_size(16)));
static void f(v4 *p) { (*p)[1] = 2; p[0][2]++; }
static void g(void) { v4 v = { 1, 2, 3, 4 }; v[0] += 1; f(&v); static v4 w = { 0 }; w = v + w; }
static __float128 h(void) { return 1.0q + 2; }
int main(void) { return 0; }
