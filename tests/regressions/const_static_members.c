// `const` members of static objects: the interpreter once did not see writes to a constant address, nothing saw those in long arrays, and bit-fields
// that share a byte with `const` ones only could be written.
//~ UNKNOWN!
//~ run: verify -DSTATIC
//~ run: verify --engine bmc -DSTATIC
//~ run: verify --engine run -DSTATIC
//~ run: verify -DLONG
//~ run: verify --engine bmc -DLONG
//~ run: verify --engine run -DLONG
//~ run: verify -DBITS
//~ run: verify --engine bmc -DBITS
//~ UNSAFE
//~ run: verify -DOTHER
//~ run: verify --engine run -DOTHER
//~ run: verify -DBITS -DOTHER_BITS
extern void reach_error(void);
struct pair {
  int v;
  const int c;
} x = {1, 3};
struct many {
  int v;
  struct pair a[5000];
} y;
#ifdef BITS
struct bits {
  const int a : 3;
  const int b : 5;
} z = {1, 2};
struct mixed {
  const int a : 3;
  int b : 5;
} m = {1, 2};
#endif
int main(void) {
#if defined STATIC
  *(int *)&x.c = 4;
  if (x.c == 4) reach_error();
#elif defined LONG
  *(int *)&y.a[4999].c = 4;
  if (y.a[4999].c == 4) reach_error();
#elif defined BITS
#ifndef OTHER_BITS
  *(char *)&z = 4;
  if (z.b == 0) reach_error();
#endif
  m.b = 4;
  if (m.b == 4 && m.a == 1) reach_error();
#else
  *(int *)&x.v = 4;
  y.v = 4;
  if (x.v == 4 && y.v == 4) reach_error();
#endif
  return 0;
}
