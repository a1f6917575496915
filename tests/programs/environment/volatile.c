// A volatile object is memory as any other, or an input at each read; it is an access all the same.
//~ SAFE
//~ run: verify
//~ run: verify --volatile memory -DTWICE
//~ run: verify --volatile inputs -DOTHERS
//~ UNSAFE
//~ run: verify --volatile inputs
//~ run: verify --volatile inputs -DTWICE
//~ run: verify --volatile inputs -DTHROUGH
//~ run: verify --volatile inputs -DOUTSIDE
//~ run: verify --volatile inputs -DNULL_POINTER
//~ run: replay --volatile inputs --inputs 1,2 -DTWICE
//~ run: verify --volatile inputs -DELSEWHERE
//~ UNKNOWN! what a volatile object holds that others may write at any time
//~ run: verify -DELSEWHERE
//~ run: verify --volatile inputs -DBITS
volatile int flag;
int plain;
struct device { int id; volatile int status; } device;
struct bits { volatile unsigned low : 4; } bits;
extern volatile int elsewhere;
static int status(const volatile int *p) { return *p; }
int main(void) {
#if defined TWICE
  flag = 1;
  int x = flag, y = flag;
  //@ assert x == y;
#elif defined THROUGH
  device.status = 5;
  int x = status(&device.status);
  //@ assert x == 5;
#elif defined OUTSIDE
  int a[2] = {0, 0};
  return a[flag & 3];
#elif defined NULL_POINTER
  return *(volatile int *)0;
#elif defined OTHERS
  plain = 4;
  device.id = 3;
  int *q = &plain;
  //@ assert *q + device.id == 7;
#elif defined ELSEWHERE
  int x = elsewhere, y = elsewhere;
  //@ assert x == y;
#elif defined BITS
  bits.low = 3;
  unsigned x = bits.low;
  //@ assert x == 3;
#else
  flag = 1;
  flag += 2;
  //@ assert flag == 3;
#endif
  return 0;
}
