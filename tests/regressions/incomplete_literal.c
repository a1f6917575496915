//~ run: check
struct known *p = &(struct unknown){ 0 };
int f(void) { return sizeof((struct unknown){ 0 }) + (struct unknown){ 1 }.x; }
