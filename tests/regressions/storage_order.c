// Once called violated: the members of a struct in the other byte order were read as if they were in ours.
//~ SAFE
//~ run: verify
extern void reach_error(void);
struct __attribute__((scalar_storage_order("big-endian"))) s { int k; } s = {3}, *p = &s;
int main(void) {
  if (p->k != 3) reach_error();
  return 0;
}
