// Once rejected: a weak definition gives way to a strong one of another file, else the first is linked; what nobody defines is null.
//~ SAFE
//~ run: verify %s tests/regressions/weak_symbols_part.c
extern void reach_error(void);
int strong __attribute__((weak)) = 1, zeroed __attribute__((weak)) = 5, first __attribute__((weak)) = 6;
int table[] __attribute__((weak)) = {1, 2};
__attribute__((weak)) int f(void) { return 1; }
#pragma weak g
int g(void) { return 10; }
int h(void) { return 20; }
typedef int function(void);
function k;
int call(void);
extern void missing(void) __attribute__((weak));
extern int gone __attribute__((weak));
void (*hook)(void) = missing;
int main(void) {
  if (strong != 2 || zeroed != 0 || first != 6 || table[1] != 8 || sizeof(table) != 8) reach_error();
  if (f() != 2 || g() != 11 || h() != 20 || k() != 30 || call() != 22) reach_error();
  if (missing || hook || &gone) reach_error();
  if (missing) missing();
  return 0;
}
