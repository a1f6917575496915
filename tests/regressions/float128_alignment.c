// Once rejected: gcc's <stddef.h> aligns a member as `__float128` is.
//~ SAFE
//~ run: verify
extern void reach_error(void);
typedef struct {
  long long a __attribute__((aligned(__alignof(long long))));
  __float128 b __attribute__((aligned(__alignof(__float128))));
} largest;
struct s { char c; int i __attribute__((aligned(__alignof(__float128)))); } s;
int main(void) {
  if (sizeof(__float128) != 16 || sizeof(struct s) != 32) reach_error();
  return 0;
}
