// Once an internal error under valid-deref: a number that was computed from an address is that address again.
//~ SAFE
//~ run: verify -p unreach-call -p valid-deref
extern void reach_error(void);
int a = 42;
int main(void)
{
  unsigned long mask = ~0ul;
  if (*(int *)(mask & (unsigned long)&a) != 42) reach_error();
  unsigned long n = (unsigned long)&a >> 1;
  n <<= 1;
  if (*(int*)n != 42) reach_error();
  return 0;
}
