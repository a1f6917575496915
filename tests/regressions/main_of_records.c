//~ run: replay --inputs 3,4
struct s { int a, b; };
int main(struct s s) { return s.a * 10 + s.b; }
