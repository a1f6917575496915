// Characters, bits, and what a program reads and prints.
//~ SAFE
//~ run: verify --show-steps 6
//~ UNSAFE
//~ run: verify --show-steps 6 -DBUG=1
//~ run: verify --show-steps 6 -p valid-deref -DBUG=2
//~ run: verify --show-steps 6 -p valid-deref -DBUG=3
int isdigit(int);
int isalpha(int);
int tolower(int);
int toupper(int);
int getchar(void);
int rand(void);
char *fgets(char *, int, void *);
int printf(const char *, ...);
int puts(const char *);
extern void *stdin;
int main(void) {
  int c = getchar();
  //@ assert c >= -1 && c <= 255;
  if (isdigit(c)) {
    //@ assert c >= '0' && c <= '9';
  }
  if (isalpha(c)) {
    int back = toupper(tolower(c)), up = toupper(c);
    //@ assert back == up;
  }
#if BUG == 2
  char open[2] = {'o', 'k'};
  puts(open);
#elif BUG == 3
  printf("%d %s", c, (char *)(c == 'q' ? 8 : 0));
#endif
  int dice = rand() % 6;
  //@ assert dice >= 0 && dice < 6;
  if (c > 0) {
    int low = __builtin_ctz(c), high = 31 - __builtin_clz(c), ones = __builtin_popcount(c);
    //@ assert low <= high && ones <= high - low + 1;
  }
  char line[4];
  if (fgets(line, sizeof line, stdin)) {
    //@ assert line[3] == 0 || line[0] == '\n' || line[1] == 0 || line[1] == '\n' || line[2] == 0;
    puts(line);
    int printed = printf("<%s>%c", line, c);
    //@ assert printed < 0 || (printed >= 3 && printed <= 6);
#if BUG == 1
    //@ assert line[0] != 'h' || line[1] != 'i' || line[2] != '\n';
#endif
  }
  return 0;
}
