//~ run: check
typedef void nothing;
int fine(void), fine_too(nothing);
int f(void x);
int g(int a, void);
int main(void) { return fine() + fine_too(); }
