// The end of one array may be the start of another; once a wrong `true`.
//~ UNKNOWN!
//~ run: verify
extern void reach_error(void);
int a[2], b[2];
int main(void) {
  if (a + 2 == b) reach_error();
  return 0;
}
