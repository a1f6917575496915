// Once called true: writing an object that is defined `const` is undefined behaviour, also through a pointer.
//~ UNKNOWN!
//~ run: verify -p unreach-call
//~ run: verify -p unreach-call --entry element
//~ run: verify -p unreach-call --entry inner
//~ UNSAFE
//~ run: verify --property valid-deref
//~ SAFE
//~ run: verify --entry others
extern void reach_error(void);
const int answer = 42;
static const char text[3] = "ab";
const int *to_const = &answer;
int variable, *const fixed = &variable;
int main(void) {
  *(int *)&answer = 1;
  if (answer == 7) reach_error();
  return 0;
}
int element(void) {
  char *p = (char *)text;
  p[1] = 'c';
  return 0;
}
int inner(void) {
  static const struct { int a, b; } s = { 1, 2 };
  int *p = (int *)&s.b;
  *p = 3;
  return s.b;
}
int others(void) {
  const int *p = &variable;
  *(int *)p = 5;
  *fixed += 1;
  to_const = &variable;
  if (variable != 6 || *to_const != 6 || text[1] != 'b' || answer != 42) reach_error();
  return 0;
}
