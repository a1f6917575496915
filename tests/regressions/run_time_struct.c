// Once called violated: gcc lets a struct have a member whose length is computed.
//~ SAFE
//~ run: verify
extern void reach_error(void);
int main(void) {
  int n = 3;
  struct s { int a; int b[n]; };
  struct s *p = 0;
  if (sizeof(*p) != 16) reach_error();
  return 0;
}
