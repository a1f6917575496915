// A float that becomes an integer which the type does not have is undefined. An execution took what the processor gives, and constants were folded.
//~ UNKNOWN!
//~ run: verify -DNAN
//~ run: verify -DNARROW
//~ run: verify -DLONG
//~ run: verify -DCONSTANT
//~ run: verify -DAGGREGATE
//~ run: verify -DSTATIC
//~ run: verify -DINPUT
//~ SAFE
//~ run: verify -DEDGES
extern void reach_error(void);
extern double __VERIFIER_nondet_double(void);
struct large {
  int many[40];
};
#ifdef STATIC
static int number = (int)1e30;
#endif
int main(void) {
  float zero = 0.0f;
#if defined NAN
  if ((int)(zero / zero) == 0) reach_error();
#elif defined NARROW
  if ((unsigned char)(zero + 300.0f) == 255) reach_error();
#elif defined LONG
  if ((unsigned long)(zero - 1.0f) == 0) reach_error();
#elif defined CONSTANT
  int x = 1e30;
  if (x == 2147483647) reach_error();
#elif defined AGGREGATE
  struct large x = {{0, 1e30}};
  if (x.many[1] == 2147483647) reach_error();
#elif defined STATIC
  if (number == 2147483647) reach_error();
#elif defined INPUT
  double x = __VERIFIER_nondet_double();
  if (x > 3e9 && (int)x == 7) reach_error();
#else
  if ((unsigned char)(zero - 0.75f) != 0 || (unsigned char)(zero + 255.9f) != 255) reach_error();
  if ((int)(zero - 2147483648.0f) != -2147483647 - 1 || (_Bool)(zero + 1e30f) != 1) reach_error();
  if ((signed char)-128.5 != -128 || (unsigned long)1.8e19 != 18000000000000000000ul) reach_error();
#endif
  return 0;
}
