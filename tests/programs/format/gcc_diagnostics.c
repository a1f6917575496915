//~ run: check --format gcc
//~ run: replay --format gcc
int f(int a, int b);
int f(int a);
int main(void) {
  int x = y + 1;
	return f(1, 2) + x.field;
}
