int next(int x) { return x + 1; }
inline int previous(int x) { return x - 1; }
extern int previous(int);
int from_there(int x) { return previous(next(x)); }
