//~ run: replay --entry work --inputs 3,4
//~ run: replay --entry nowhere
//~ run: replay --arg hello --arg -x
int printf(const char *, ...);
int work(int a, char b) { return a / (b - 4); }
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) printf("[%s]", argv[i]);
  return argv[argc] == 0 ? argc : -1;
}
