// Once called violated: what an initializer says of a struct with a member that is not supported was forgotten.
//~ SAFE
//~ run: verify
extern void reach_error(void);
struct s { _Complex float c; int k; } s = {1, 3};
int main(void) {
  if (s.k != 3) reach_error();
  return 0;
}
