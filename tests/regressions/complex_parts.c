// Once rejected: the parts of a complex number that are written, and static initializers of complex numbers.
//~ SAFE
//~ run: verify
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
__complex__ double x;
_Complex float sum = 1 + 2i, listed = {1, 2}, table[] = {1.0, 2.0i};
_Complex double *first = &x;
int parts(_Complex int z) {
  __real__ x = 1;
  __imag__ x += 2;
  ++__imag__ *first;
  double *imaginary = &__imag__ x;
  switch (__real__ z) {
  case 1: return table[__imag__ z] == sum;
  }
  return -~z != z;
}
int main(void) {
  if (__real__ 2.5 != 2.5 || __imag__ 2.5 != 0) reach_error();
  return parts(1);
}
