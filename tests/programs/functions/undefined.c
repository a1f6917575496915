//~ run: replay --inputs 4,0x10,2.5
//~ run: replay --inputs 4
// The result of a function that is only declared is an input.
int sensor(int channel);
unsigned char byte(void);
double level(void);
int main(void) {
  int a = sensor(1);
  if (byte() == 16 && level() > 2) a++;
  //@ assert a == 4;
  return 0;
}
