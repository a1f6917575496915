//~ run: check
//~ run: replay --inputs 0
//~ run: replay --inputs 1
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x)
    __asm__ volatile ("nop" : "=r" (x) : "0" (x) : "memory");
  asm ("" ::: "memory");
  return x;
}
