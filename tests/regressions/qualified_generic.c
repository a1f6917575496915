// Pointers to types with different qualifiers are not compatible; once `_Generic` chose `int *` for `const int *` where that was the only choice beside
// `default`. An object that a name for a volatile type declares elsewhere may change at any time.
//~ SAFE
//~ run: verify
//~ run: verify -DPARAMETERS
//~ UNKNOWN!
//~ run: verify -DVOLATILE
extern void reach_error(void);
struct pair {
  const int c;
  const int *q;
};
typedef volatile int changing;
extern changing elsewhere;
#define kind(e) _Generic(e, int *: 1, default: 2)
int main(void) {
  int i = 0;
  const int c = 1, array[2] = {1, 2}, *p = &i;
  volatile int *v = &i;
  int *volatile w = &i;
  struct pair s = {1, &i};
#if defined VOLATILE
  int first = elsewhere;
  if (first != elsewhere) reach_error();
#elif defined PARAMETERS
  if (_Generic((int (*)(const int *))0, int (*)(int *): 1, default: 2) != 2) reach_error();
#else
  if (kind(&i) != 1 || kind(w) != 1 || kind(p) != 2 || kind(v) != 2) reach_error();
  if (kind(&c) != 2 || kind(&s.c) != 2 || kind(s.q) != 2 || kind(array) != 2) reach_error();
  if (_Generic(s.q, int *: 1, const int *: 3) != 3 || _Generic(c, const int: 1, int: 2) != 2) reach_error();
  if (_Generic("text", const char *: 1, char *: 2) != 2) reach_error();
  if (__builtin_types_compatible_p(int *, const int *)) reach_error();
  if (__builtin_types_compatible_p(int *, __typeof__(&s.c))) reach_error();
  if (!__builtin_types_compatible_p(int, const int)) reach_error();
  if (!__builtin_types_compatible_p(int[2], const int[2])) reach_error();
#endif
  return 0;
}
