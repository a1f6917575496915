//~ UNSAFE
//~ run: verify
//~ run: verify --full
//~ run: verify --show-steps 6
int main(void) {
  int i = 0;
  while (i < 6) i++;
  //@ assert i != 6;
  return 0;
}
