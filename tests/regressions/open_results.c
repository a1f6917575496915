// Which number other than zero says "yes" is open, also in a program without inputs, which is executed: gcc computes `isdigit` and `isinf` itself.
// A number that is too large for `atoi`, and what is no character for `toupper`, are undefined; what `frexp` stores for an infinity is open.
//~ UNSAFE
//~ run: verify -DDIGIT
//~ run: verify -DINFINITE
//~ UNKNOWN!
//~ run: verify -DATOI
//~ run: verify -DTOUPPER
//~ run: verify -DISALPHA
//~ run: verify -DFREXP
//~ run: verify --engine bmc -DATOI
//~ run: verify --engine bmc -DTOUPPER
//~ SAFE
//~ run: verify -DSIGNS
//~ run: verify -DBOUNDS
extern void reach_error(void);
extern double __VERIFIER_nondet_double(void);
extern int isdigit(int), isalpha(int), toupper(int), isinf(double), atoi(const char *);
extern double frexp(double, int *);
int main(void) {
  double large = 1e308;
  large *= -10;
#if defined DIGIT
  if (isdigit('1') == 1) reach_error();
#elif defined INFINITE
  if (isinf(large) == 1) reach_error();
#elif defined ATOI
  if (atoi("2147483648") == 5) reach_error();
#elif defined TOUPPER
  if (toupper(1000) == 5) reach_error();
#elif defined ISALPHA
  if (isalpha(-1000) == 5) reach_error();
#elif defined FREXP
  int exponent = 5;
  frexp(large, &exponent);
  if (exponent == 7) reach_error();
#elif defined SIGNS
  double x = __VERIFIER_nondet_double();
  if (x == x && !!__builtin_signbit(x) != (x < 0 || (x == 0 && 1 / x < 0))) reach_error();
  if (!isinf(large) || isinf(1.0) || !isdigit('1') || isdigit('a')) reach_error();
#else
  if (atoi("2147483647") != 2147483647 || atoi("-2147483648x") != -2147483647 - 1) reach_error();
  if (toupper(-1) != -1 || toupper(255) != 255 || isalpha(-1)) reach_error();
#endif
  return 0;
}
