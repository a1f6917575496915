// Once called violated: an array that is defined elsewhere was thought to have no elements.
//~ UNKNOWN!
//~ run: verify -p valid-deref
extern int elsewhere[];
extern int later[];
int main(void) {
  later[1] = 1;
  elsewhere[0] = 1;
  return 0;
}
int later[2];
