// Once rejected: gcc computes these where only a constant will do.
//~ SAFE
//~ run: verify
extern void reach_error(void);
static unsigned short port = __builtin_bswap16(80);
static int table[__builtin_popcount(255)] = {[__builtin_ctz(8)] = 5};
_Static_assert(__builtin_ffs(0) == 0 && __builtin_clz(1u) == 31 && __builtin_clrsbl(-1l) == 63, "");
int main(void) {
  if (port != 0x5000 || sizeof(table) != 32 || table[3] != 5) reach_error();
  return 0;
}
