// Once called correct: a number made of a pointer and made a pointer again was another pointer.
//~ UNSAFE
//~ run: verify
extern void reach_error(void);
int main(void) {
  int x = 1;
  unsigned long number = (unsigned long)&x;
  int *p = (int *)number;
  if (p == &x) reach_error();
  return 0;
}
