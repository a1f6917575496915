// The command line is an input: any number of words, of which a few short ones are modelled.
//~ SAFE if the system gives at least the name of the program, as Linux does
//~ run: verify --show-steps 6
//~ UNSAFE
//~ run: verify --show-steps 6 -DBUG=1
//~ run: verify --show-steps 6 -DBUG=2
//~ run: verify --show-steps 6 -p valid-deref -DBUG=3
//~ run: verify --show-steps 6 -DLONG
int strcmp(const char *, const char *);
int atoi(const char *);
unsigned long strlen(const char *);
int main(int argc, char **argv) {
  //@ assert argc >= 1 && argv[0] != 0;
  if (argc < 3) {
    //@ assert argv[argc] == 0;
#if BUG == 1
    //@ assert argc != 2 || argv[1][0] != 120 || argv[1][1] != 0;
#endif
#if BUG == 3
    return argv[2][0];
#endif
    return 0;
  }
#if BUG == 2
  int help = strcmp(argv[1], "-n"), number = atoi(argv[2]);
  //@ assert help != 0 || number != 17;
#endif
#ifdef LONG
  int length = (int)strlen(argv[1]);
  //@ assert length < 100;
#endif
  return argv[1][0] == 0;
}
