// Once called true: a function without a body can write what its arguments point to, and objects with external linkage.
//~ UNSAFE
//~ run: verify -DARGUMENT
//~ run: verify -DGLOBAL
//~ run: verify -DKEPT
//~ run: verify -DMEMBERS
//~ run: verify -DHEAP
//~ run: verify -DPOINTER_INSIDE
//~ run: verify -DOF_THE_CALLER
//~ run: verify -DLARGE
//~ run: verify -DTHROUGH_POINTER
//~ SAFE
//~ run: verify -DNEITHER
//~ run: verify -DREAD_ONLY
//~ run: verify -DNUMBERS
extern void reach_error(void);
extern void *malloc(unsigned long);
extern void init(int *), look(const int *, const char *, ...), later(void);
extern int number(int, double);
extern int shared;
static int own;
const int limit = 5;
struct pair { char letter; unsigned bits : 3; short row[2]; } pair;
extern void fill(struct pair *);
struct list { int value; struct list *next; };
extern void walk(struct list *);
static void inner(void) { later(); }

#ifdef ARGUMENT
int main(void) { int x = 0; init(&x); if (x == 42) reach_error(); }
#elif defined GLOBAL
int main(void) { shared = 0; later(); if (shared == 42) reach_error(); }
#elif defined KEPT
int main(void) { int x; init(&x); x = 0; later(); if (x == 42) reach_error(); }
#elif defined MEMBERS
int main(void) {
  struct pair one = {0};
  fill(&one);
  if (one.letter == 'x' && one.bits == 5 && one.row[1] == -7) reach_error();
}
#elif defined HEAP
int main(void) { int *p = malloc(sizeof *p); if (p) { *p = 0; init(p); if (*p) reach_error(); } }
#elif defined POINTER_INSIDE
int main(void) { struct list last = {0, 0}, first = {0, &last}; walk(&first); if (last.value) reach_error(); }
#elif defined OF_THE_CALLER
int main(void) { int x; init(&x); x = 0; inner(); if (x) reach_error(); }
#elif defined LARGE
int main(void) { int many[500] = {0}; init(many); if (many[400]) reach_error(); }
#elif defined THROUGH_POINTER
int main(void) { void (*function)(int *) = init; int x = 0, *p = &x; function(p); if (x) reach_error(); }
#elif defined NEITHER
int main(void) { int x = 0; own = 3; later(); if (x || own != 3 || limit != 5) reach_error(); }
#elif defined READ_ONLY
int main(void) { int x = 3; look(&x, "text"); if (x != 3) reach_error(); }
#elif defined NUMBERS
int main(void) { int x = number(3, 0.5), y = x; if (own || x != y) reach_error(); }
#endif
