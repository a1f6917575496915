// Printing reads the string: calling this safe would be wrong.
//~ run: verify -p valid-deref
int puts(const char *);
int main(void) {
  char open[2] = {'o', 'k'};
  puts(open);
  return 0;
}
