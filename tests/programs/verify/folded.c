//~ UNSAFE
//~ run: verify -p assertion
//~ run: verify -p valid-deref
//~ run: replay --quiet
// Long loops are folded, in each activation by itself; `--full` shows everything (see folded_full.c).
static int a[100];
static void fill(int from) {
  int at = from;
  for (int i = 0; i < 8; i++) a[at++] = i;
}
int main(int argc, char **argv) {
  int sum = 0;
  fill(0);
  fill(argc > 1 ? 93 : 10);
  for (int i = 0; i < 100; i++) {
    int j = 0;
    do j++; while (j < 6);
    sum += j;
  }
  //@ assert sum != 600;
  return 0;
}
