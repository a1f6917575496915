// A program without inputs is executed, not unwound; once out of time.
//~ SAFE
//~ run: verify --timeout 60
//~ UNSAFE
//~ run: verify -DCOUNT=1000 -DLAST=3366742873u
//~ SAFE
//~ run: verify --engine run -DCOUNT=1000
extern void reach_error(void);
#ifndef LAST
#define LAST 77
#endif
#ifndef COUNT
#define COUNT 10000000
#endif
int main(void) {
  unsigned s = 1;
  for (unsigned i = 0; i < COUNT; i++) s = s * 1103515245u + 12345u;
  if (s == LAST) reach_error();
  return 0;
}
