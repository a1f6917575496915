// The number of arguments is an input: calling this safe would be wrong.
//~ UNSAFE
//~ run: verify
int main(int argc, char **argv) {
  //@ assert argc < 3;
  return 0;
}
