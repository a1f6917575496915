// What `alloca` gives lives until the function returns: calling this safe would be wrong.
//~ UNSAFE
//~ run: verify -p valid-deref
void *alloca(unsigned long);
int *f(void) {
  int *p = alloca(sizeof *p);
  *p = 3;
  return p;
}
int main(void) { return *f(); }
