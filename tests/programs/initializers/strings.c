//~ run: replay --quiet
//~ gcc
int printf(const char *, ...);
static char exact[3] = "abc", more[6] = "ab", unsized[] = "xyz", braces[] = { "in braces" }, many[][4] = { "ab", { 'c', 'd' }, { "ef" } };
static const char *table[] = { "one", "two" "three", [3] = "\101\x42\n" };
static struct { char name[4]; int n; } s = { "abcd", 5 }, t = { { "x" }, 6 };
static int wide[] = L"w\u00e4";
int main(void) {
  char local[] = "lo" "cal", big[20] = "big", cut[2] = "cut";
  printf("%.3s %s %s %s %s %.4s\n", exact, more, unsized, braces, many[1], s.name);
  printf("%d %d %d %d\n", (int)sizeof unsized, (int)sizeof many, (int)sizeof local, (int)(sizeof wide / sizeof *wide));
  printf("%s %s %d %s", table[0], table[1], table[2] == 0, table[3]);
  printf("%s %s %d %.2s %x\n", local, big, big[19], cut, wide[1]);
  printf("%d %d %s %d\n", s.n, t.n, t.name, "abc"[1]);
  printf("%d %s\n", (int)sizeof "a\0b", &"hello"[2]);
  return 0;
}
