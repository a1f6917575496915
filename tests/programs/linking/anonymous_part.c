typedef struct { int x; struct { char tag; } in; } pair;
typedef struct node { struct node *next; int v; } node;
pair shared = { 20, { 1 } };
static node last = { 0, 2 }, first = { &last, 1 };
node *head = &first;
pair twice(pair p) { p.x *= 2; return p; }
