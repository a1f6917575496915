//~ run: replay --quiet
//~ gcc
int printf(const char *, ...);
int main(void) {
  signed char sc = (signed char)200; unsigned char uc = (unsigned char)-1; short sh = (short)70000; _Bool b = 0.25, z = (_Bool)0.0;
  unsigned u = -1; int i = u; long l = u; long long m = (int)u; unsigned long ul = (char)0x80;
  char c = 0xff;
  printf("%d %d %d %d %d\n", sc, uc, sh, b, z);
  printf("%u %d %ld %lld %lu %d\n", u, i, l, m, ul, c);
  printf("%d %d %d\n", -1 < 1u, -1L < 1u, -1 < (unsigned char)1);
  printf("%d %d\n", (int)3.99, (int)-3.99);
  printf("%u %lu\n", (unsigned)3e9, (unsigned long)1.8e19);
  printf("%.1f %.1f\n", (float)16777217, (double)0x20000000000001);
  printf("%d %d\n", (int)(signed char)0x1ff, (int)(unsigned char)0x1ff);
  printf("%d\n", (int)(_Bool)(unsigned char)256);
  printf("%d %d %d\n", 'a' == 97, '\377', '\x80' < 0);
  printf("%lx\n", (unsigned long)(unsigned)(-5 >> 1));
  printf("%d %d %d %d\n", -7 / 2, -7 % 2, 7 / -2, 7 % -2);
  printf("%x %x\n", 1u << 31, -1u >> 28);
  int *p = &i; long as_number = (long)p;
  printf("%d %d\n", (int *)as_number == p, (char)as_number == (char)(long)p);
  printf("%d\n", (_Bool)p + !p);
  __int128 big = (__int128)1 << 100; big -= 1;
  printf("%llx %llx\n", (unsigned long long)(big >> 64), (unsigned long long)big);
  printf("%.0f %d\n", (double)big, big < 0.0L);
  i = 10; i += 2.7; i -= 'a'; i *= 1.5; printf("%d\n", i);
  uc = 250; uc += 10; sc = 127; sc++; printf("%d %d\n", uc, sc);
  b = 5; b += 5; b--; printf("%d\n", b); b--; printf("%d\n", b);
  return 0;
}
