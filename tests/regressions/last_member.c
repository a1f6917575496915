// Once rejected: gcc does not need the semicolon after the last member.
//~ SAFE
//~ run: verify
extern void reach_error(void);
struct a { long b };
union u { int x; struct { char c : 3 } };
struct tag { struct only { int q } };
int main(void) {
  struct a a = {3};
  union u u = {.c = 2};
  if (a.b != 3 || u.c != 2 || sizeof(struct only) != 4) reach_error();
  return 0;
}
