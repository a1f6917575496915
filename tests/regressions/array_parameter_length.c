//~ run: replay --quiet
//~ gcc
// The length of an array parameter may name an earlier parameter, in prototypes and definitions of both styles.
int printf(const char *, ...);
enum { k = 2 };
int sum(int n, int a[n]);
int trace(int k, int a[static k][k]);
int (*later)(int n, int (*)[n + 1], int m, char [m][n]);
int sum(int n, int a[n]) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
int trace(int k, int a[static k][k]) { int s = 0; for (int i = 0; i < k; i++) s += a[i][i]; return s; }
int old(n, a) int n; int a[n]; { return a[n - 1]; }
int main(void) {
  int a[3][3] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } };
  printf("%d %d %d %d\n", sum(3, a[1]), trace(3, a), old(2, a[2]), k);
  return !later;
}
