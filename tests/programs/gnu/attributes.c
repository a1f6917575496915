//~ run: check
//~ run: replay --quiet
//~ gcc
// Attributes and oddities in all the places where headers put them.
extern int printf(const char *__restrict, ...) __asm__("printf") __attribute__((__format__(__printf__, 1, 2)));
typedef unsigned short u16 __attribute__((mode(HI))), *pu16;
struct __attribute__((packed, aligned(4))) s { char c; int i __attribute__((aligned(2))); } __attribute__((deprecated));
static int __attribute__((noinline, unused)) (f)(int __attribute__((unused)) a) { return a; }
__attribute__((noreturn)) static void stop(int code);
static __inline__ int g(void) __attribute__((const));
static __inline__ int g(void) { return 4; }
__extension__ typedef long long ll;
int array[] __attribute__((section("data"))) = { 1, 2 }, *restrict rp = array, volatile_ok;
extern __thread int tls;
_Noreturn void exit(int);
static void stop(int code) { exit(code); }
enum __attribute__((packed)) tiny { T = 200 } t = T;
int main(void) {
  int x __attribute__((aligned(16))) = 2, y __attribute__((unused));
  ;;
  if (x) ; else {}
  struct s s = { 1, 2 };
  printf("%d %d %d %d %d\n", (int)sizeof(struct s), (int)sizeof(u16), (int)sizeof t, f(g()), (int)sizeof(*(pu16)0));
  printf("%d %d %s\n", s.i, (int)((long)&x % 16), "con" "cat" /* comment */ "enated\x21");
  for (;;) { label: __attribute__((unused)); stop(rp[1]); }
}
