// No layout did fit a flexible array member whose elements are not as wide as what comes before, nor an allocation smaller than its type.
//~ SAFE
//~ run: verify -p unreach-call -p valid-deref
//~ UNSAFE
//~ run: verify -p unreach-call -p valid-deref -DBEYOND
//~ SAFE
//~ run: verify -p unreach-call -p valid-deref -DPART
//~ UNSAFE
//~ run: verify -p unreach-call -p valid-deref -DOUTSIDE
void *malloc(unsigned long);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct flexible { char tag; long values[]; };
struct old { long count; char text[1]; };
struct large { int a; short b; long rest[10]; };
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1 || n > 4) return 0;
  struct flexible *f = malloc(sizeof *f + n * sizeof(long));
  f->tag = 'x';
  for (int i = 0; i < n; i++) f->values[i] = -i;
#ifdef BEYOND
  f->values[n] = 0;
#endif
  if (f->values[n - 1] != 1 - n || f->tag != 'x') reach_error();
  struct old *o = malloc(sizeof *o + 5);
  o->count = -1;
  for (int i = 0; i < 8; i++) o->text[i] = i;
  if (o->text[2 * n - 1] != 2 * n - 1 || o->count != -1) reach_error();
  struct large *l = malloc(sizeof l);
#ifdef PART
  l->a = 3;
  l->b = 4;
  if (l->a + l->b != 7) reach_error();
#endif
#ifdef OUTSIDE
  l->rest[0] = 5;
#endif
  return 0;
}
