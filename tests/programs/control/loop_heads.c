//~ run: show cfa
// One loop head a loop: three statements, a `goto` that goes back, one that only goes on.
void f(int n) {
  while (n > 0) n--;
  do n++; while (n < 5);
  for (; n; ) { if (n == 3) continue; n /= 2; }
again:
  if (n++ < 3) goto again;
  if (n) goto on;
  n = 1;
on:
  do n = 2; while (0);
}
