// Once rejected: gcc's labels of a block may be defined once in each block.
//~ SAFE
//~ run: verify
extern void reach_error(void);
int main(void) {
  int visits = 0;
here:
  visits++;
  for (int i = 0; i < 2; i++) {
    __label__ here, out;
    goto here;
    visits = 100;
  here:
    if (visits == 3) goto out;
    visits++;
  out:;
  }
  {
    __label__ here;
    goto here;
  here:;
  }
  if (visits != 3) reach_error();
  return 0;
}
