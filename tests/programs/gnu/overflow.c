//~ run: replay --quiet
//~ gcc
int printf(const char *, ...);
static unsigned long long state = 88172645463325252ull, sum;
static unsigned long long random(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  // Half of the numbers are at the ends of the types, or around zero.
  return state & 64 ? state : (state & 128 ? -1ull : 1) << (state >> 8 & 63);
}
static void mix(unsigned long long value) { sum = sum * 6364136223846793005ull + value + 1442695040888963407ull; }
typedef signed char schar; typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned uint;
typedef unsigned long ulong; typedef long long llong; typedef __int128 wide; typedef unsigned __int128 uwide;
struct bits { signed narrow : 5; unsigned long long broad : 40; };
#define INTO(op, type) \
  { type r; mix(__builtin_##op##_overflow(a, b, &r)); mix(r); mix(r >> 7); mix(__builtin_##op##_overflow_p(b, a, (type)1)); }
#define EACH(op) \
  INTO(op, char) INTO(op, uchar) INTO(op, short) INTO(op, ushort) INTO(op, int) INTO(op, uint) INTO(op, long) INTO(op, ulong) \
  INTO(op, wide) INTO(op, uwide) \
  mix(__builtin_##op##_overflow_p(a, b, bits.narrow)); mix(__builtin_##op##_overflow_p(a, b, bits.broad));
#define PAIR(left, right) static void left##_##right(void) { \
  struct bits bits = {0, 0}; \
  for (int i = 0; i < 6; i++) { left a = random(); right b = random(); EACH(add) EACH(sub) EACH(mul) } \
  printf(#left " " #right " %llx\n", sum); \
}
#define TYPED(name, type) { type a = random(), b = random(), r; mix(__builtin_##name##_overflow(a, b, &r)); mix(r); }
PAIR(schar, schar) PAIR(schar, uint) PAIR(uchar, short) PAIR(ushort, ushort) PAIR(int, int) PAIR(int, uint) PAIR(uint, uint)
PAIR(int, long)  PAIR(long, ulong) PAIR(ulong, ulong) PAIR(ulong, llong) PAIR(_Bool, long) PAIR(ulong, _Bool)
enum { fits = __builtin_add_overflow_p(100, 27, (signed char)0), does_not = __builtin_add_overflow_p(100, 28, (signed char)0) };
int main(void) {
  schar_schar(), schar_uint(), uchar_short(), ushort_ushort(), int_int(), int_uint(), uint_uint();
  int_long(), long_ulong(), ulong_ulong(), ulong_llong(), _Bool_long(), ulong__Bool();
  for (int i = 0; i < 20; i++) {
    TYPED(sadd, int) TYPED(saddl, long) TYPED(saddll, long long) TYPED(uadd, uint) TYPED(uaddl, ulong) TYPED(uaddll, unsigned long long)
    TYPED(ssub, int) TYPED(ssubl, long) TYPED(ssubll, long long) TYPED(usub, uint) TYPED(usubl, ulong) TYPED(usubll, unsigned long long)
    TYPED(smul, int) TYPED(smull, long) TYPED(smulll, long long) TYPED(umul, uint) TYPED(umull, ulong) TYPED(umulll, unsigned long long)
  }
  int a = 2147483647;
  printf("%llx %d %d ", sum, fits, does_not);
  printf("%d ", __builtin_add_overflow(a, 1, &a));
  printf("%d %d\n", a, (int)sizeof(__builtin_add_overflow(a, 1, &a)));
  return 0;
}
