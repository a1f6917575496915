//~ run: check
struct unknown;
struct unknown *fine;
extern struct unknown fine_too;
struct later soon;
struct later { int a; };
static struct unknown e = { 1, 2 };
struct unknown tentative;
