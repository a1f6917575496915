// Once called correct: a library function that is known by its name only was thought to write nothing.
//~ UNSAFE
//~ run: verify
extern char *stpncpy(char *, const char *, unsigned long);
extern void reach_error(void);
int main(void) {
  char text[4] = "abc";
  stpncpy(text, "xyz", 3);
  if (text[0] != 'a') reach_error();
  return 0;
}
