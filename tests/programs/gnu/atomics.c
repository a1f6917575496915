//~ run: check
//~ run: replay
// Built-ins that are not known are poison, not functions of the user's.
int main(void) {
  int x = 1;
  x++;
  return __sync_fetch_and_add_4(&x, 2) + __atomic_load_4(&x, 5);
}
