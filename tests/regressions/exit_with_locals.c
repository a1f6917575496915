// Once an internal error: what variables of the functions under way hold when `exit` is called is not lost; what is out of scope is.
//~ SAFE
//~ run: verify -p valid-memtrack
//~ UNSAFE
//~ run: verify -p valid-memtrack -DLOST
//~ run: verify -p valid-memcleanup
void *malloc(unsigned long);
void exit(int);
void finish(char *parameter) {
  char *local = malloc(2);
#ifdef LOST
  {
    char *inner = local;
    local = 0;
  }
#endif
  exit(0);
}
int main(void) {
  char *outer = malloc(3);
  finish(malloc(4));
  return outer != 0;
}
