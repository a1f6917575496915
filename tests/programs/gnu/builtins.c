//~ run: replay --quiet
//~ gcc
int printf(const char *, ...);
#define max(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
#define likely(x) __builtin_expect(!!(x), 1)
#define same(a, b) __builtin_types_compatible_p(__typeof__(a), __typeof__(b))
struct deep { int a; struct { char b[3]; int c[4]; } in[2]; };
struct empty {}; struct zero { int n; char tail[0]; };
int main(void) {
  int n = 5, r; unsigned u; long long big; signed char small;
  printf("%d ", max(n++, 3)); printf("%d %g\n", n, max(2.5, 1));
  printf("%d %d %d %d\n", likely(n == 6), __builtin_constant_p(3 + 4), __builtin_constant_p(n), __builtin_choose_expr(1, 7, n++));
  printf("%d %d %d\n", same(n, r), same(n, u), same(int *, char *));
  printf("%d %d %d %d %d %d\n", __builtin_popcount(0xf0f0), __builtin_clz(1), __builtin_ctz(8), __builtin_ffs(0), __builtin_parity(7), __builtin_clzll(1));
  printf("%x %llx %d\n", __builtin_bswap32(0x12345678), __builtin_bswap64(0x0102030405060708ull), __builtin_bswap16(1));
  printf("%d %d\n", (int)__builtin_offsetof(struct deep, in[1].c[2]), (int)sizeof(struct deep));
  printf("%d ", __builtin_add_overflow(2147483647, 1, &r)); printf("%d ", r); printf("%d ", __builtin_mul_overflow(1ll << 40, 1 << 10, &big)); printf("%lld ", big);
  printf("%d ", __builtin_sub_overflow(3, 5u, &u)); printf("%u ", u); printf("%d ", __builtin_add_overflow(100, 27, &small)); printf("%d ", small);
  printf("%d ", __builtin_add_overflow(100, 28, &small)); printf("%d\n", small);
  printf("%d %d %d\n", (int)sizeof(struct empty), (int)sizeof(struct zero), __builtin_abs(-3));
  printf("%d %d %d\n", __builtin_isnan(__builtin_nan("")) != 0, __builtin_inf() > 1e300, __builtin_isgreater(2.0, 1.0));
  char buf[8]; __builtin_memset(buf, 'z', 7); buf[7] = 0; printf("%s %d\n", buf, (int)__builtin_strlen(buf));
  int *p = __builtin_alloca(4 * sizeof *p); p[3] = 9; printf("%d\n", p[3]);
  __auto_type d = 2.5f; printf("%d\n", (int)sizeof d); __extension__ int e = 1; e = e ?: 9;
  switch (n) { case 0 ... 3: return 1; case 6: __attribute__((fallthrough)); case 7: n = 'x'; }
  if (n != 'x') __builtin_unreachable();
  { __label__ out; goto out; out: printf("%s %s\n", __func__, __PRETTY_FUNCTION__); }
  return _Generic(n, char: 1, int: 2, default: 3) + ((union { int i; char c; })n).c % 2;
}
