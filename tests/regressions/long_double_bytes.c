// Six of the sixteen bytes of a `long double` are not part of its value; once read as zero.
//~ UNKNOWN!
//~ run: verify
extern void reach_error(void);
extern void *memset(void *, int, unsigned long);
extern void *memcpy(void *, const void *, unsigned long);
extern int memcmp(const void *, const void *, unsigned long);
int main(void) {
  long double d = 1.0L;
  unsigned char c[16];
  memset(c, 0, 16);
  memcpy(c, &d, 16);
  if (c[12]) reach_error();
  return 0;
}
