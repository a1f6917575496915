// Once called true: an operation with a fault was folded in the initializer of an object that is filled from an image of its bytes.
//~ UNSAFE
//~ run: verify -p no-overflow
//~ run: verify -p shift-range
union number { long whole; int half; };
struct large { long many[40]; };
int main(void) {
  union number over = {2147483647 + 1};
  union number shifted = {127 >> 40};
  struct large large = {{1, -2147483647 - 2, 3}};
  return over.half + shifted.half + (int)large.many[1];
}
