// Once called true: the program may end before the error is reached, or after.
//~ UNKNOWN!
//~ run: verify
extern void reach_error(void);
extern void exit(int);
static int ends(void) { exit(0); return 0; }
static int fails(void) { reach_error(); return 0; }
int main(void) { return ends() + fails(); }
