//~ run: replay --quiet
//~ gcc
int printf(const char *, ...);
struct s { signed a : 3; unsigned b : 3; int c : 1; unsigned long long d : 40; _Bool e : 1; unsigned char f : 4; };
int main(void) {
  struct s s = {0};
  printf("%d %d\n", s.a = 5, s.b = 13);
  s.c = 1; s.d = ~0ull; s.e = 2; s.f = 0xab;
  printf("%d %u %d %llx %d %d\n", s.a, s.b, s.c, (unsigned long long)s.d, s.e, s.f);
  s.a++; s.b += 7; s.d <<= 1; s.f = -s.f;
  printf("%d %u %llx %d\n", s.a, s.b, (unsigned long long)s.d, s.f);
  s.b = 0; printf("%d %d\n", s.b - 1 < 0, s.b-- == 0); printf("%d\n", s.b);
  printf("%d %d\n", (s.a = 7) == 7, (s.c = 1) < 0);
  printf("%d\n", s.d + 1 > s.d);
  return 0;
}
