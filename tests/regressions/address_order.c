// Which of two objects has the higher address is open; once a wrong `true`.
//~ UNKNOWN!
//~ run: verify
extern void reach_error(void);
int x, y;
int main(void) {
  if ((unsigned long)&x > (unsigned long)&y) reach_error();
  return 0;
}
