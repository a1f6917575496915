// An access at a fixed address is no null pointer dereference. Registers there are inputs at every read; what is written to them is shown.
//~ UNSAFE
//~ run: verify
//~ run: verify -p div-by-zero -p valid-deref
//~ run: verify --mmio 0x40021000..0x40021fff:RCC
//~ run: verify --mmio 0x40021000..0x40021fff -DMEMBER
//~ run: replay --mmio 0x40021000..0x40021fff --inputs 1,2,3,4
//~ SAFE
//~ run: verify --mmio 0x40021000..0x40021fff:RCC -DFINE
//~ run: verify --mmio 0x40021000..0x40021fff -DCOMPUTED
//~ UNKNOWN!
//~ run: verify --mmio 0x40021000..0x40021fff -DBIT_FIELD
//~ run: verify -p assertion
//~ run: verify --mmio 0x40021000
//~ run: verify --mmio 0x10..0x20
typedef unsigned u32;
struct port { volatile u32 mode; volatile u32 data[2]; volatile u32 bit : 1; };
#define STATUS (*(volatile u32 *)0x40021000)
#define CONTROL (*(volatile u32 *)0x40021004)
#define PORT ((struct port *)0x40021800)
static void set(volatile u32 *to, u32 value) { *to = value; }
static u32 three(void) { return 3; }
int main(void) {
#if defined MEMBER
  PORT->mode = 1;
  PORT->data[1] = three();
  u32 x = PORT->data[1];
  //@ assert x == 3;
#elif defined COMPUTED
  set(&CONTROL, 1);
#elif defined BIT_FIELD
  u32 x = PORT->bit;
  //@ assert x <= 1;
#elif defined FINE
  CONTROL = 1;
  u32 x = STATUS;
  if (x & 1) CONTROL |= 2;
  PORT->mode++;
  //@ assert (x & 1) <= 1;
#else
  CONTROL = 1;
  u32 a = STATUS, b = STATUS;
  CONTROL |= 2;
  //@ assert a == b;
#endif
  return 0;
}
