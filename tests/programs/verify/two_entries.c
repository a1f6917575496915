// A loop with two entries: every round reads an input of its own.
//~ UNSAFE
//~ run: verify
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = 0, x = 0, before = 0, k = 0;
  if (__VERIFIER_nondet_int()) goto b;
a:
  before = x; x = __VERIFIER_nondet_int(); k++;
  if (k > 5) goto end;
  if (k % 2) goto a;
b:
  before = x; x = __VERIFIER_nondet_int(); k++;
  if (k > 4) goto end;
  if (k % 3) goto b;
  goto a;
end:
  //@ assert x == before;
  return 0;
}
