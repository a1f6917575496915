// The bytes between members have no value that one could rely on: calling this safe would be wrong.
//~ UNKNOWN!
//~ run: verify
int memcmp(const void *, const void *, unsigned long);
struct s { char c; int i; };
int main(void) {
  struct s a, b;
  a.c = b.c = 1;
  a.i = b.i = 2;
  int differ = memcmp(&a, &b, sizeof a);
  //@ assert differ == 0;
  return 0;
}
