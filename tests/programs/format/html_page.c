// `--html` and `report`: what is printed beside a page, and where there can be none.
//~ UNSAFE
//~ run: report --html /dev/null
//~ run: report --html /dev/null --json --engine nothing
//~ run: verify --html /dev/null
//~ run: minimize --html /dev/null
//~ run: explain --html /dev/null
//~ run: localize --html /dev/null --format gcc
//~ run: witness validate --html /dev/null tests/programs/format/html_page.yml %s
//~ run: verify --html tests/no_such_folder/page.html
//~ run: verify --html tests --format gcc
//~ run: verify --unwind 1 --dump smt2 --html /dev/null
//~ run: check --html /dev/null
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a = __VERIFIER_nondet_int();
  int unused = __VERIFIER_nondet_int();
  int b = a > 10 ? 10 : a;
  assert(b < 10);
  return unused;
}
