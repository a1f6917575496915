// Printing reads the string: calling this safe would be wrong.
//~ UNSAFE
//~ run: verify -p valid-deref
int puts(const char *);
int main(void) {
  char open[2] = {'o', 'k'};
  puts(open);
  return 0;
}
