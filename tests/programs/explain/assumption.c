// A run that breaks an assumption does not pass, and one that is aborted is the last choice.
//~ UNSAFE
//~ run: explain
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void abort(void);
extern void reach_error(void);

int main(void) {
  int speed = __VERIFIER_nondet_int();
  int limit = __VERIFIER_nondet_int();
  __VERIFIER_assume(speed > 50);
  if (limit < 0) abort();
  int excess = speed - limit;
  if (excess > 30) reach_error();
  return 0;
}
