// A variable may be aligned more than it has to be; once a wrong `true`.
//~ UNKNOWN!
//~ run: verify
extern void reach_error(void);
int x;
int main(void) {
  if ((unsigned long)&x % 64 == 0) reach_error();
  return 0;
}
