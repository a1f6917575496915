// Registers behind pointers that are computed: a driver gets the address of its device, and only the run decides whether a pointer to something volatile leads to
// a register or to memory.
//~ UNSAFE
//~ run: verify --mmio 0x40000000..0x4fffffff:port
//~ run: verify --mmio 0xe0000000..0xe00fffff --mmio 0x40000000..0x4fffffff --data-model ilp32
//~ run: replay --mmio 0x40000000..0x4fffffff:port --inputs 0,32,8
//~ run: verify --mmio 0x40000000..0x40010fff
//~ SAFE
//~ run: verify --mmio 0x40000000..0x4fffffff -DFIXED
//~ run: verify --mmio 0x40000000..0x4fffffff -DFIXED --data-model ilp32
//~ run: verify --mmio 0x40000000..0x4fffffff -DMEMORY
//~ run: verify --mmio 0x40000000..0x4fffffff -DMEMORY --data-model ilp32
//~ UNSAFE
//~ run: verify --mmio 0x40000000..0x4fffffff -DEITHER --data-model ilp32
//~ UNKNOWN!
//~ run: verify --mmio 0x40000000..0x4fffffff -DPLAIN
typedef unsigned u32;
typedef struct { volatile u32 status, data, rate, control; } port;
#define PORT1 ((port *)0x40011000u)
#define PORT2 ((port *)0x40004400u)
#define PIN(n) (*(volatile u32 *)(0x40020000u + 0x400u * (n)))

static int put(port *to, unsigned char c, int tries) {
  while (!(to->status & 0x80))
    if (--tries == 0) return -1;
  to->data = c;
  return 0;
}

static int get(port *from, unsigned char *c) {
  if (!(from->status & 0x20)) return -1;
  *c = (unsigned char)from->data;
  return 0;
}

static u32 twice(volatile u32 *what) { return *what - *what; }

extern int __VERIFIER_nondet_int(void);

int main(void) {
#if defined MEMORY
  volatile u32 flag = 5;
  volatile u32 *where = &flag;
  *where = 7;
  //@ assert flag == 7;
  //@ assert twice(where) == 0;
#elif defined EITHER
  volatile u32 flag = 5;
  volatile u32 *where = __VERIFIER_nondet_int() ? &flag : &PORT1->data;
  *where = 7;
  //@ assert flag == 5 || flag == 7;
  u32 difference = twice(where);
  //@ assert difference == 0;
#elif defined PLAIN
  u32 *where = (u32 *)PORT1 + __VERIFIER_nondet_int() % 2;
  *where = 1;
#else
  static const unsigned char table[16] = {1, 2, 3};
  unsigned char c;
  PORT1->control |= 1u;
  for (int i = 0; i < 3; i++) PIN(i) = 1;
  if (get(PORT1, &c) == 0) {
#if defined FIXED
    if (c < 16)
#endif
      put(PORT2, table[c], 3);
  }
#endif
  return 0;
}
