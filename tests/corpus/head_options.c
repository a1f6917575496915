// The options of head: -n COUNT, -q, by getopt.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char __VERIFIER_nondet_char(void);

struct options {
  int lines;
  int quiet;
};

static int parse(int argc, char **argv, struct options *o) {
  int c;
  optind = 1;
  while ((c = getopt(argc, argv, "n:q")) != -1) {
    switch (c) {
    case 'n':
      o->lines = atoi(optarg);
#ifndef BUG
      if (o->lines < 1)
        return -1;
#endif
      break;
    case 'q':
      o->quiet = 1;
      break;
    default:
      return -1;
    }
  }
  return optind;
}

int main(void) {
  char number[3], program[] = "head", option[] = "-n", quiet[] = "-q";
  number[0] = __VERIFIER_nondet_char();
  number[1] = __VERIFIER_nondet_char();
  number[2] = '\0';
  char *argv[] = {program, option, number, quiet, NULL};
  struct options o = {10, 0};
  int first = parse(4, argv, &o);
  if (first < 0)
    return 1;
  assert(first == 4 && o.quiet);
  printf("%d\n", 100 / o.lines);
  return 0;
}
