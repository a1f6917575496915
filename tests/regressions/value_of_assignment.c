// Once called violated: the value of an assignment to a bit-field or a record was read again after the call.
//~ SAFE
//~ run: verify
extern void reach_error(void);
struct bits { unsigned b : 4; } s;
struct pair { int v, w; } one = { 1, 2 }, two;
static int change_bits(void) { s.b = 2; return 0; }
static int change_pair(void) { two.v = 7; two.w = 7; return 0; }
int main(void) {
  if ((s.b = 13) + change_bits() != 13) reach_error();
  if ((two = one).v + change_pair() != 1) reach_error();
  return 0;
}
