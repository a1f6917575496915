//~ run: replay --quiet
//~ gcc
int printf(const char *, ...);
#define SKIP(c) do { if (c) break; n++; } while (0)
int main(void) {
  int n = 0, i, j;
  for (i = 0; ; i++) { if (i == 3) continue; if (i > 5) break; n += i; }
  printf("%d %d\n", n, i);
  for (int i = 0; i < 3; i++) { int i = 10; n += i; }
  do n--; while (n > 20);
  do { if (n & 1) continue; n -= 2; } while (n-- > 5);
  while (1) { while (1) break; if (++n > 3) break; }
  printf("%d %d\n", n, i);
  SKIP(n > 100); SKIP(n < 100); printf("%d\n", n);
  for (i = j = 0; i < 3; i++) for (j = i; j < 5; j++) { if (j == 3) break; n++; }
  while (n --> 5) ;
  for (;;) { if (n++ == 10) goto done; }
done:
  printf("%d %d %d\n", n, i, j);
  for (char c = 'a'; c <= 'e'; c += 2) printf("%c", c);
  for (unsigned u = 3; u < 4; u--) printf("%u", u);
  printf("\n");
  return 0;
}
