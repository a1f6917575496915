//~ run: show cfa
// Each edge has the span of what it carries out, and of a branch the keyword's place after `^`.
int f(int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    while (s < i && s != 7)
      s += i ? 2 : 3;
  do
    s--;
  while (s > 10);
  switch (s) {
  case 1 ... 3:
    return 1;
  case 4:
    break;
  default:
    goto out;
  }
  if (s) return s;
out:
  return -1;
}
