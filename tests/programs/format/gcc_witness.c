//~ run: witness lint --format gcc tests/witnesses/broken.graphml %s
//~ run: witness validate --format gcc tests/programs/format/gcc_witness.yml %s
//~ run: witness validate --format gcc -p no-overflow tests/programs/format/gcc_witness.yml %s
//~ run: witness validate --format gcc tests/programs/format/gcc_witness_invariant.yml %s
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  unsigned i = 0;
  while (i < 3)
    i++;
  if (__VERIFIER_nondet_int() == 7)
    reach_error();
  return 0;
}
