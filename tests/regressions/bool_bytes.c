// A `_Bool` can hold another byte than 0 or 1: copies keep it, once read back as 0; reading it is undefined.
//~ SAFE
//~ run: verify
//~ UNKNOWN!
//~ run: verify -DREAD
extern void reach_error(void);
extern void *memset(void *, int, unsigned long);
extern void *memcpy(void *, const void *, unsigned long);
int main(void) {
  _Bool b;
  unsigned char c;
  memset(&b, 2, 1);
  memcpy(&c, &b, 1);
#ifdef READ
  if (b) c = 3;
#endif
  if (c == 0) reach_error();
  return 0;
}
