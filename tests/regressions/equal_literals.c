// Equal string literals may be one object or two; once a wrong `true`.
//~ UNKNOWN!
//~ run: verify
extern void reach_error(void);
int main(void) {
  const char *a = "abc", *b = "abc";
  if (a == b) reach_error();
  return 0;
}
