// Bit-fields in cleared memory; once an internal error.
//~ SAFE
//~ run: verify
extern void reach_error(void);
extern void *memset(void *, int, unsigned long);
extern void *memcpy(void *, const void *, unsigned long);
extern int memcmp(const void *, const void *, unsigned long);
extern void *malloc(unsigned long);
extern int __VERIFIER_nondet_int(void);
struct __attribute__((packed)) p { unsigned a : 5; unsigned b : 13; unsigned c : 20; char d; };
int main(void) {
  struct p *p = malloc(sizeof *p), q;
  memset(p, 0, sizeof *p);
  p->b = 100;
  p->c = __VERIFIER_nondet_int();
  if (p->b != 100 || p->a || p->d) reach_error();
  memcpy(&q, p, sizeof q);
  if (q.c != p->c || q.b != 100) reach_error();
  return 0;
}
