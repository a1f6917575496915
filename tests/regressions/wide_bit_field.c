// Once called violated: gcc computes with a bit-field that is wider than `int` in its own width, clang in the declared type.
//~ UNKNOWN!
//~ run: verify
//~ run: verify --entry converted
//~ SAFE
//~ run: verify --entry same
extern void reach_error(void);
struct { unsigned long long u : 40; long long s : 40; unsigned long long whole : 64; } x = { (1ULL << 40) - 1, -1, -1ULL };
int minus = -1;
int main(void) {
  if (x.u + 1 == 1ULL << 41) reach_error();
  return 0;
}
int converted(void) {
  if (x.u == 0 && minus == 0) reach_error();
  if (x.u < minus) return 1;
  return 0;
}
int same(void) {
  x.u++;
  if (x.u != 0) reach_error();
  x.u = x.s & 255;
  if (x.u != 255 || x.u / 5 != 51 || x.u >> 1 != 127) reach_error();
  if (x.whole + 1 != 0 || (unsigned long long)x.u + 1 != 256) reach_error();
  return 0;
}
