//~ run: replay
// Lines that end as on Windows, one of them continued.
int main(void) {
  int x = 1 \
    + 1;
  //@ assert x == 3;
  return 0;
}
