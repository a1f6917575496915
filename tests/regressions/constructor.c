// Once called violated: functions that run before `main` were not run.
//~ SAFE in the order of definition, as gcc and clang have it on x86-64
//~ run: verify
static int order, early, late;
int main(void) {
  //@ assert early == 1 && late == 2;
  return 0;
}
__attribute__((constructor)) static void first(void) { early = ++order; }
static void second(void) __attribute__((constructor));
static void second(void) { late = ++order; }
