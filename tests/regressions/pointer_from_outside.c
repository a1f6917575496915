// An unknown function may return the address of an object of the program: calling this safe would be wrong.
//~ UNSAFE
//~ run: verify
int x;
extern int *find(int *all);
int main(void) {
  int *p = find(&x);
  if (p != &x) return 0;
  *p = 1;
  //@ assert x == 0;
  return 0;
}
