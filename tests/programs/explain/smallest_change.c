//~ UNSAFE
//~ run: explain
//~ run: explain --trust filter
//~ run: minimize --box
/* The program compares `level` with `limit`, and nothing with `unused`: that it equals another value by chance is no cause. */
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);

int filter(int level) {
  int smooth = level / 2 + 50;
  return smooth;
}

int main(void) {
  int level = __VERIFIER_nondet_int();
  int limit = __VERIFIER_nondet_int();
  int unused = __VERIFIER_nondet_int();
  __VERIFIER_assume(level >= 0 && level <= 1000 && limit >= 100 && limit <= 500);
  int alarm = 0;
  if (filter(level) >= limit)
    alarm = 1;
  //@ assert alarm == 0 || level > limit;
  return unused == 3 ? alarm : 0;
}
