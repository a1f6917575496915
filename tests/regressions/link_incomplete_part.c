struct opaque { int a, b; } thing = { 1, 20 };
int numbers[3] = { 100, 1000, 3 }, (*whole)[3] = &numbers;
int get(struct opaque *p) { return p->b; }
