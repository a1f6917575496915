//~ run: replay --quiet
//~ gcc
// An enumerator that is no `int` has the type of its enumeration.
int printf(const char *, ...);
enum big { SMALL = 1, BIG = 0x80000000 };
enum negative { MINUS = -1, HUGE = 0x100000000 };
int main(void) {
  printf("%d %d %d\n", -1 < BIG, -1 < SMALL, -1 < HUGE);
  printf("%d %d %d %d\n", (int)sizeof SMALL, (int)sizeof BIG, (int)sizeof HUGE, (int)sizeof(enum negative));
  return BIG - 1 > 0;
}
