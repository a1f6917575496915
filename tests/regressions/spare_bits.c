// The bits beside bit-fields are memory too; once read as zero.
//~ SAFE
//~ run: verify
//~ UNKNOWN!
//~ run: verify -DWRITTEN
extern void reach_error(void);
extern void *memset(void *, int, unsigned long);
extern void *memcpy(void *, const void *, unsigned long);
extern int memcmp(const void *, const void *, unsigned long);
struct s { unsigned a : 3; unsigned b : 4; };
int main(void) {
  struct s s;
  unsigned char x;
  memset(&s, 0xff, sizeof s);
#ifdef WRITTEN
  s.a = 1;
#endif
  memcpy(&x, &s, 1);
#ifdef WRITTEN
  if (x != 0xf9) reach_error();
#else
  if (x != 0xff) reach_error();
#endif
  return 0;
}
