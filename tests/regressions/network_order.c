// Once called violated: `htonl` was thought to be an unknown function.
//~ SAFE
//~ run: verify
extern unsigned htonl(unsigned), ntohl(unsigned);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned x = __VERIFIER_nondet_uint();
  //@ assert ntohl(htonl(x)) == x;
  return 0;
}
