// Once called true: an operation with a fault was folded in the initializer of an object that is filled from an image of its bytes.
//~ UNSAFE
//~ run: verify -p no-overflow -DOVERFLOW
//~ run: verify -p no-overflow -DLARGE
//~ run: verify -p shift-range -DSHIFT
//~ SAFE
//~ run: verify -p no-overflow -p shift-range
union number { long whole; int half; };
struct large { long many[40]; };
int main(void) {
#ifdef OVERFLOW
  union number one = {2147483647 + 1};
#elif defined LARGE
  struct large one = {{1, -2147483647 - 2, 3}};
#elif defined SHIFT
  union number one = {127 >> 40};
#else
  union number one = {2147483647 + 1L};
#endif
  return 0;
}
