//~ run: replay --quiet
//~ run: replay --quiet --entry field
//~ run: replay --quiet --entry wild
//~ run: replay --quiet --entry call
//~ run: replay --quiet --entry address
struct s { int a, b; };
int main(void) { int *p = 0; *p = 1; return 0; }
int field(void) { struct s *s = 0; return s->b; }
int wild(void) { int *p = (int *)0x123456789; return *p; }
int call(void) { int (*f)(void) = 0; return f(); }
int address(void) { struct s *s = 0; return &s->b != 0; }
