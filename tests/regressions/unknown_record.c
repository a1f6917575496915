// A record from an undefined function, or one that a function fails to return, is arbitrary; with a path that returns one, the other path
// was taken to return the same.
//~ UNSAFE
//~ run: verify -DUNDEFINED
//~ UNSAFE a value that is not returned is any value
//~ run: verify -DMISSING
//~ run: verify -DMISSING_NUMBER
//~ UNSAFE
//~ run: verify -DPOINTER
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct record { long l; int array[2]; unsigned small : 3, wide : 12; _Bool truth; float real; };
struct pointer { int *p; };
struct record undefined(void);
struct pointer pointer(void);
struct record missing(int n) { if (n == 3) return (struct record){ .l = 4 }; }
int missing_number(int n) { if (n == 3) return 4; }
int x;
int main(void) {
#if defined UNDEFINED
  struct record a = undefined(), b = undefined();
  if (a.small == 5 && a.wide == 3000 && a.truth && a.real == 1.5f && a.array[1] == -1 && b.array[1] == 7) reach_error();
#elif defined MISSING
  if (missing(__VERIFIER_nondet_int()).l == 5) reach_error();
#elif defined MISSING_NUMBER
  if (missing_number(__VERIFIER_nondet_int()) == 5) reach_error();
#else
  if (pointer().p == &x) reach_error();
#endif
  return 0;
}
