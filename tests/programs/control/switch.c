//~ run: replay --quiet
//~ gcc
int printf(const char *, ...);
static int f(int x) {
  int r = 0;
  switch (x) {
    r = 1000;
  case 1: r += 1;
  case 2: r += 2; break;
  case 3 ... 5: { case 9: r += 30; break; }
  case -1: case -2: r = -x; break;
  default: r = 7;
  case 6: r += 60;
  }
  return r;
}
static int nested(int x, int y) {
  switch (x) {
  case 0:
    switch (y) { case 0: return 1; case 1: break; default: return 2; }
    return 3;
  case 1:
    for (int i = 0; i < 5; i++) { switch (i) { case 3: continue; case 4: goto out; } x += i; if (x > 100) break; }
  }
out:
  return x;
}
static void copy(char *to, const char *from, int n) {
  int k = (n + 3) / 4;
  switch (n % 4) {
  case 0: do { *to++ = *from++;
  case 3:      *to++ = *from++;
  case 2:      *to++ = *from++;
  case 1:      *to++ = *from++;
          } while (--k > 0);
  }
}
static int types(unsigned char c, unsigned long long l, _Bool b) {
  int r = 0;
  switch (c) { case 255: r = 1; break; case -1: r = 2; }
  switch (l) { case -1: r += 10; break; case 0x100000000: r += 20; }
  switch (b) { case 1: r += 100; }
  switch (c) { default: r += 1000; }
  switch (c) ;
  return r;
}
int main(void) {
  for (int i = -3; i < 11; i++) printf("%d ", f(i));
  for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) printf("%d ", nested(i, j));
  char to[16] = { 0 };
  copy(to, "duff's device!", 14); printf("%s %s\n", to, (copy(to, "abc", 1), to));
  printf("%d %d\n", types(255, -1, 7), types(0, 1ull << 32, 0));
  return 0;
}
