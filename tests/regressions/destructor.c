// Once called correct: a function that runs after `main` was not run.
//~ UNSAFE
//~ run: verify
extern void reach_error(void);
__attribute__((destructor)) static void last(void) { reach_error(); }
int main(void) { return 0; }
