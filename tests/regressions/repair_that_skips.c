// With 300 instead of 10 the assertion holds because it is never evaluated, which repairs nothing.
//~ UNSAFE
//~ run: localize --entry skip --inputs 200
void skip(unsigned char n) {
  int limit = 300;
  if (n > 10) {
    //@ assert limit < 300;
  }
}
