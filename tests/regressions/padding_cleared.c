// `memset` and `memcpy` write padding too; once undecided.
//~ SAFE
//~ run: verify
extern void reach_error(void);
extern void *memset(void *, int, unsigned long);
extern void *memcpy(void *, const void *, unsigned long);
extern int memcmp(const void *, const void *, unsigned long);
struct s { char c; int i; };
int main(void) {
  struct s a, b;
  memset(&a, 0, sizeof a);
  memcpy(&b, &a, sizeof a);
  if (memcmp(&a, &b, sizeof a)) reach_error();
  if (((char *)&b)[2]) reach_error();
  return 0;
}
