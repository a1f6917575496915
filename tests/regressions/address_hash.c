// The bits of an address are open; once a wrong `true`.
//~ UNKNOWN!
//~ run: verify
extern void reach_error(void);
int x;
int main(void) {
  if ((((unsigned long)&x >> 4) & 7) == 3) reach_error();
  return 0;
}
