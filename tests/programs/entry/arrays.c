// A function as the entry, with arrays for its pointers: without them nothing can be said but that a pointer may be invalid.
//~ UNSAFE
//~ run: verify --entry sum --entry-arrays 4 -p valid-deref
//~ run: verify --entry sum -p valid-deref
int sum(const int *values, int count) {
  int total = 0;
  for (int i = 0; i <= count; i++) total += values[i];
  return total;
}
