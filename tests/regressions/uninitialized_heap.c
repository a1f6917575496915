// What an allocation holds before it is written belongs to the counterexample, or it does not replay.
//~ run: verify
typedef unsigned long size_t;
void *malloc(size_t size);
int main(void) {
  int *p = malloc(3 * sizeof(int));
  char *q = malloc(2);
  //@ assert p[1] != 7 || q[1] != p[2];
  return 0;
}
