// Once called violated: the argument of a type-generic built-in was widened, and a subnormal float became a normal double.
//~ SAFE
//~ run: verify
#include <math.h>
extern void reach_error(void);
int main(void) {
  float tiny = 0x1.fffffcp-127f;
  if (fpclassify(tiny) != FP_SUBNORMAL || isnormal(tiny) || !isfinite(tiny) || isinf(tiny) || isnan(tiny)) reach_error();
  if (!isless(tiny, 1.0) || isgreater(tiny, 1.0f)) reach_error();
  return 0;
}
