// Once an internal error: numbers and bytes may keep an allocation from being lost; those that cannot be its address do not.
//~ UNKNOWN!
//~ run: verify -p valid-memtrack -DNUMBER
//~ run: verify -p valid-memtrack -DBYTES
//~ run: verify -p valid-memtrack -DLARGE
//~ UNSAFE
//~ run: verify -p valid-memtrack
void *malloc(unsigned long);
void *memcpy(void *, const void *, unsigned long);
extern unsigned long __VERIFIER_nondet_ulong(void);
unsigned long number;
char bytes[13], large[1000];
int numbers[200];
int main(void) {
  char *p = malloc(3);
#if defined NUMBER
  number = (unsigned long)p;
#elif defined BYTES
  memcpy(bytes + 3, &p, sizeof p);
#elif defined LARGE
  memcpy(large + 333, &p, sizeof p);
#else
  number = __VERIFIER_nondet_ulong();
  for (int i = 0; i < 200; i++) numbers[i] = i;
#endif
  return 0;
}
