// Floating-point numbers in a text that is an input: few digits are read exactly, and what is read of a number that is not there is nothing.
//~ SAFE
//~ run: verify
//~ UNSAFE
//~ run: verify -DWRONG --suspects never
//~ UNKNOWN!
//~ run: verify -DHEXADECIMAL
#include <errno.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
  char text[6];
  char *end;
  text[0] = '-';
  for (int i = 1; i < 5; i++) {
    int c = __VERIFIER_nondet_int();
#ifdef HEXADECIMAL
    __VERIFIER_assume((c >= '0' && c <= '9') || c == 'x');
#else
    __VERIFIER_assume((c >= '0' && c <= '9') || c == '.' || c == 0);
#endif
    text[i] = (char)c;
  }
  text[5] = 0;
  errno = 0;
  double value = strtod(text, &end);
  int error = errno;
  //@ assert error == 0;
#ifdef WRONG
  //@ assert value != -2.5;
#else
  //@ assert value <= 0 && value >= -9999;
#ifndef HEXADECIMAL
  //@ assert end == text || value == 0 || *end == 0 || *end == '.';
  //@ assert end != text || (text[1] == 0 || text[1] == '.');
#endif
#endif
  return 0;
}
