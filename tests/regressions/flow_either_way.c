// The assertion fails whether or not line 8 is reached; why it is reached is part of the answer all the same (paper 4, definition 4).
//~ UNSAFE
//~ run: localize --entry either --inputs 41 --method flow
void either(int input) {
  int x = 1;
  int y = input - 42;
  if (y < 0)
    x = 0;
  //@ assert (x != 0) & (y < 0);
}
