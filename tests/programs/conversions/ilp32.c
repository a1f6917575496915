//~ run: replay --quiet --data-model ilp32
//~ run: replay --quiet --data-model lp64
int printf(const char *, ...);
struct s { char c; long long l; double d; long double x; void *p; long n; };
int main(void) {
  printf("%d %d %d %d %d\n", (int)sizeof(long), (int)sizeof(void *), (int)sizeof(long double), (int)sizeof(struct s), (int)_Alignof(long long));
  printf("%d %d\n", (int)__builtin_offsetof(struct s, l), (int)__builtin_offsetof(struct s, n));
  printf("%d %d\n", -1L < 1u, (int)sizeof(2147483648));
  printf("%d\n", (long)4000000000u < 0);
  printf("%d\n", (int)sizeof(sizeof 1));
  return 0;
}
