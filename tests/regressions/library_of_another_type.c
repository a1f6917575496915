// A library function that is declared with another type is not an unknown function; once a wrong `false`.
//~ UNKNOWN!
//~ run: verify -p valid-deref
extern void *malloc(unsigned);
int main(void) {
  int *p = malloc(sizeof *p);
  *p = 1;
  return 0;
}
