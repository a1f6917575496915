// A program without inputs is executed, and the execution took the sign of the processor's NaN for the only one: gcc's constant has the other.
//~ UNKNOWN!
//~ run: verify -DBYTES
//~ run: verify -DIN_STRUCT
//~ run: verify -DSIGN
//~ SAFE
//~ run: verify -DALLOCATED
extern void reach_error(void);
extern void *memcpy(void *, const void *, unsigned long);
extern void *malloc(unsigned long);
extern void free(void *);
extern float copysignf(float, float);
struct pair {
  float first, second;
};
int main(void) {
  float zero = 0.0f;
#if defined BYTES
  float made = zero / zero;
  unsigned bits;
  memcpy(&bits, &made, sizeof bits);
  if (bits == 0x7fc00000) reach_error();
#elif defined IN_STRUCT
  struct pair made = {zero / zero, 0};
  unsigned bits;
  memcpy(&bits, &made, sizeof bits);
  if (bits == 0x7fc00000) reach_error();
#elif defined SIGN
  if (copysignf(1.0f, zero / zero) > 0) reach_error();
#else
  // Memory of its own, of one type: no bits are looked at.
  float *made = malloc(sizeof *made);
  *made = zero / zero;
  if (*made == *made) reach_error();
  free(made);
#endif
  return 0;
}
