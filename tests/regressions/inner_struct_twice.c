// Once rejected: a struct that is defined inside another one, with two members of it.
//~ SAFE
//~ run: verify
extern void reach_error(void);
struct outer {
  struct inner { int x, y; } one, many[3];
  struct { int z; } a, b;
  enum { RED, GREEN } c, d;
} o;
int main(void) {
  o.a.z = 7;
  o.b = o.a;
  o.many[1].y = 4;
  o.one = o.many[1];
  if (o.one.y + o.b.z != 11 || sizeof(struct inner) != 8) reach_error();
  return 0;
}
