// A number that a union makes a pointer belongs to no object that one could rely on; once a wrong `true`.
//~ UNSAFE
//~ run: verify -p valid-deref
int g;
union pun { unsigned long number; int *pointer; };
int main(void) {
  union pun u;
  int sum = g;
  for (unsigned long i = 1; i < 8; i++) {
    u.number = i << 40;
    sum += *u.pointer;
  }
  return sum;
}
