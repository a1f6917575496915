// Strings: each function means what the interpreter's does, for arbitrary contents.
//~ SAFE
//~ run: verify --show-steps 6
//~ UNSAFE
//~ run: verify --show-steps 6 -DBUG=1
//~ run: verify --show-steps 6 -DBUG=2
//~ run: verify --show-steps 6 -p valid-deref -DBUG=3
//~ run: verify --show-steps 6 -p valid-deref -DBUG=4
typedef unsigned long size_t;
size_t strlen(const char *);
char *strcpy(char *, const char *);
char *strncpy(char *, const char *, size_t);
char *strcat(char *, const char *);
char *strchr(const char *, int);
char *strrchr(const char *, int);
char *strstr(const char *, const char *);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
size_t strspn(const char *, const char *);
int atoi(const char *);
extern char __VERIFIER_nondet_char(void);
int main(void) {
  char word[5], copy[10];
  for (int i = 0; i < 4; i++) word[i] = __VERIFIER_nondet_char();
  word[4] = 0;
  strcpy(copy, word);
  int equal = strcmp(copy, word), length = (int)strlen(word);
  //@ assert equal == 0 && length <= 4;
  char *first = strchr(word, 'x'), *last = strrchr(word, 'x');
  //@ assert (first == 0) == (last == 0);
  //@ assert first == 0 || (first <= last && *last == 'x');
  strcat(copy, word);
  int twice = (int)strlen(copy);
  //@ assert twice == 2 * length;
  char *inside = strstr(copy, word);
  //@ assert inside == copy;
  int digits = (int)strspn(word, "0123456789"), number = atoi(word);
  //@ assert digits != 2 || length != 2 || (number >= 0 && number <= 99);
#if BUG == 1
  //@ assert number != -42;
#elif BUG == 2
  int order = strncmp(word, "yes", 3);
  //@ assert order != 0 || length != 4 || word[3] == '!';
#elif BUG == 3
  char small[4];
  strcpy(small, word);
#elif BUG == 4
  char open[3];
  strncpy(open, word, 3);
  return (int)strlen(open);
#endif
  return 0;
}
