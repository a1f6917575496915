// Once refused: `-D` had no effect on a file without directives.
//~ SAFE
//~ run: verify -D WANTED=5
extern void reach_error(void);
int main(void) {
  if (WANTED != 5) reach_error();
  return 0;
}
