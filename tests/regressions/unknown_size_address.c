// Once called violated: the same through a pointer that is initialized with the address.
//~ UNKNOWN!
//~ run: verify -p valid-deref
extern int elsewhere[];
int *pointer = elsewhere;
int main(void) {
  pointer[0] = 1;
  return 0;
}
