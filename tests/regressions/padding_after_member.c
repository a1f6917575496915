// Writing a member leaves padding unspecified, also when it was cleared before.
//~ UNKNOWN!
//~ run: verify
//~ SAFE
//~ run: verify -DMEMBERS
extern void reach_error(void);
extern void *memset(void *, int, unsigned long);
extern void *memcpy(void *, const void *, unsigned long);
extern int memcmp(const void *, const void *, unsigned long);
struct s { char c; int i; };
int main(void) {
  struct s a, b;
  memset(&a, 0, sizeof a);
  a.c = 1;
  memcpy(&b, &a, sizeof a);
#ifdef MEMBERS
  if (b.c != 1 || b.i) reach_error();
#else
  if (((char *)&b)[2]) reach_error();
#endif
  return 0;
}
