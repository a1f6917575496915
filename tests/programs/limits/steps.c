//~ run: replay --quiet --max-steps 1000
//~ run: replay --max-steps 40 --show-steps 6
int main(void) {
  unsigned n = 0;
  for (;;) n += 3;
}
