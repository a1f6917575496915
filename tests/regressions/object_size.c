// Once called true: what `__builtin_object_size` knows depends on the compiler and its options.
//~ UNKNOWN!
//~ run: verify
extern void reach_error(void);
char buffer[10];
int main(void) {
  if (__builtin_object_size(buffer, 0) == 10) reach_error();
  return 0;
}
