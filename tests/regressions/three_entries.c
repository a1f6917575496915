// A loop that is entered at three places is unwound round by round; once out of time.
//~ SAFE
//~ run: verify
//~ UNSAFE
//~ run: verify -DLIMIT=14
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
#ifndef LIMIT
#define LIMIT 15
#endif
int main(void) {
  int n = 0, c = __VERIFIER_nondet_int();
  if (c == 1) goto one;
  if (c == 2) goto two;
  if (c == 3) goto three;
one:
  n++;
  if (n > 12) goto end;
  if (__VERIFIER_nondet_int()) goto three;
two:
  n += 2;
  if (n > 12) goto end;
  if (__VERIFIER_nondet_int()) goto one;
three:
  n += 3;
  if (n > 12) goto end;
  if (__VERIFIER_nondet_int()) goto two;
  goto one;
end:
  if (n > LIMIT) reach_error();
  return 0;
}
