// Once an internal error: bit-fields that were never written were zero in the replay.
//~ UNSAFE memory that nobody wrote holds any value
//~ run: verify
extern void reach_error(void);
void *malloc(unsigned long);
struct bits { unsigned a : 3, b : 9; int c : 17; };
int main(void) {
  struct bits x[2], *y = malloc(sizeof *y);
  if (x[1].a == 5 && x[1].b == 300 && x[1].c == -9 && y->b == 100 && y->a == 1) reach_error();
  return 0;
}
