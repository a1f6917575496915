//~ run: replay
//~ run: show cfa
int calls;
int t(void) { calls++; return 1; }
int main(void) {
  int a = 0, b;
  b = a && t();
  b = a || t();
  b = (a ? t() : 0) + !calls;
  if (a++ || (a && t())) b = calls;
  return b;
}
