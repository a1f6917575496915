// Once called true: a variable that is written twice, or written and read, without a sequence point in between is undefined behaviour.
//~ UNKNOWN!
//~ run: verify
//~ run: verify --entry left
//~ run: verify --entry operands
//~ run: verify --entry compound
//~ run: verify --entry pointers
extern void reach_error(void);
int a[4];
int main(void) {
  int i = 0;
  i = i++ + 1;
  if (i != 1) reach_error();
  return 0;
}
int left(void) {
  int i = 0;
  a[i] = i++;
  if (a[0] != 0 && a[1] != 0) reach_error();
  return 0;
}
int operands(void) {
  int i = 1;
  if (i++ + i > 3) reach_error();
  return 0;
}
int compound(void) {
  int i = 1;
  i += i++;
  if (i > 3) reach_error();
  return 0;
}
int pointers(void) {
  int i = 1, *p = &i;
  *p = i++;
  if (i > 2) reach_error();
  return 0;
}
