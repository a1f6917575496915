// Wide strings are arrays of int.
//~ SAFE
//~ run: verify
//~ UNSAFE
//~ run: verify -DWRONG
//~ run: verify -DLONG --property valid-memsafety
#include <assert.h>
#include <wchar.h>
#include <wctype.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  wchar_t text[4] = {0}, copy[4], *end;
  for (int i = 0; i < 3; i++)
    text[i] = __VERIFIER_nondet_int();
#ifdef LONG
  wcscpy(copy + 1, text);
#else
  wcscpy(copy, text);
  assert(wcscmp(copy, text) == 0 && wcslen(copy) <= 3);
  assert(wcschr(text, 0) == text + wcslen(text));
  assert(wcstol(L" -12x", &end, 10) == -12 && *end == 'x');
  assert(!iswalpha((wint_t)text[0]) || towlower((wint_t)text[0]) >= 'a');
#ifdef WRONG
  assert(wcsstr(text, L"ab") == 0);
#endif
#endif
  return 0;
}
