// So much cannot be allocated with short pointers.
//~ UNSAFE
//~ run: verify --data-model ilp32
void *malloc(unsigned);
extern void reach_error(void);
int main(void) {
  void *a = malloc(1u << 30), *b = malloc(1u << 30), *c = malloc(1u << 30), *d = malloc(1u << 30);
  if (!a || !b || !c || !d) reach_error();
  return 0;
}
