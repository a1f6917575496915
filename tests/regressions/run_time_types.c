// Once called violated: a type with a length that is computed was forgotten where it is declared.
//~ SAFE
//~ run: verify
extern void reach_error(void);
int main(void) {
  int x = 1;
  typedef int row[++x];
  if (x != 2) reach_error();
  return 0;
}
