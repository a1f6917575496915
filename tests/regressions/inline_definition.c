// Once refused as a redefinition: an inline definition stands beside the external one of another file.
//~ SAFE
//~ run: verify %s tests/regressions/inline_definition_part.c
//~ run: verify tests/regressions/inline_definition_part.c %s
extern void reach_error(void);
inline int next(int x) { return x + 1; }
inline int previous(int x) { return x - 1; }
int from_there(int x);
int main(void) {
  if (previous(next(1)) != from_there(1)) reach_error();
  return 0;
}
