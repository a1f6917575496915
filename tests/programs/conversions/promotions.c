//~ run: replay --quiet
//~ gcc
int printf(const char *, ...);
#define KIND(e) _Generic((e), _Bool: "bool", char: "char", signed char: "schar", unsigned char: "uchar", short: "short", \
  unsigned short: "ushort", int: "int", unsigned: "unsigned", long: "long", unsigned long: "ulong", long long: "llong", \
  unsigned long long: "ullong", float: "float", double: "double", long double: "ldouble", __int128: "i128", default: "other")
#define SHOW(e) printf("%s: %s\n", #e, KIND(e))
enum small { A, B };
enum negative { M = -1 };
enum wide { W = 0x100000000 };
struct bits { unsigned a : 3; unsigned b : 32; int c : 32; unsigned long long d : 31; unsigned long long e : 33; _Bool f : 1; };
int main(void) {
  struct bits s = {0};
  unsigned char uc = 0; short sh = 0; _Bool b = 0; char c = 0; unsigned short us = 0;
  enum small es = A; enum negative en = M; enum wide ew = W;
  SHOW(c); SHOW(+c); SHOW(uc + uc); SHOW(sh << 40 % 32); SHOW(-b); SHOW(~us); SHOW(!s.e); SHOW('a'); SHOW(A); SHOW(M); SHOW(W);
  SHOW(es); SHOW(en); SHOW(ew); SHOW(+es); SHOW(+en);
  SHOW(s.a + 0); SHOW(s.b + 0); SHOW(s.c + 0); SHOW(s.d + 0); SHOW(+s.f); SHOW(s.a - 1 < 0 ? 1 : 0L);
  SHOW(1 + 1u); SHOW(1u + 1L); SHOW(1L + 1ull); SHOW(1ull + 1.0f); SHOW(1.0f + 1.0); SHOW(1.0L * 1); SHOW((__int128)1 + 1ul);
  SHOW(1 ? sh : uc); SHOW(1 ? 1 : 2u); SHOW(0x80000000); SHOW(2147483648); SHOW(0xffffffffffffffff); SHOW(1 << 1ull); SHOW(1ull >> 1);
  SHOW(sizeof c); SHOW((char *)0 - (char *)0); SHOW((c, sh)); SHOW(c = 1); SHOW(c += 1.5); SHOW(c++); SHOW(L'x'); SHOW(uc == 1);
  return 0;
}
