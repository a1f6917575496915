// Once rejected: vectors that are built-in functions' arguments and results, indexed values, and stepped.
//~ SAFE
//~ run: verify
typedef int v4 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));
v4 g = {1, 2, 3, 4}, table[] = {{1}, {2}}, *first = table;
struct { v4 v; int k; } s = {{1, 2, 3, 4}, 5};
int use(v4 a, v4 b, f4 f) {
  f = __builtin_convertvector(a, f4);
  b = __builtin_shuffle(a, b);
  a++;
  a = -a << 1;
  g = *first;
  return (a & b)[0] + (a == b)[1] + __builtin_shuffle(a, b)[2] + __builtin_convertvector(f, v4)[3] + s.k;
}
int main(void) { return use(g, g, (f4){1, 2, 3, 4}); }
