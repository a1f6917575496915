// An initializer with a part that is not defined is `unknown`, also if a static assertion stands behind that part.
//~ UNKNOWN!
//~ run: verify
//~ run: verify -DASSERTION
extern void reach_error(void);
static int x = (int)1e20 + (int)sizeof(struct {
                 int a;
#ifdef ASSERTION
                 _Static_assert(sizeof(int) == 4, "");
#endif
               });
int main(void) {
  if (x != 4)
    reach_error();
}
