//~ run: replay --quiet %s tests/programs/linking/anonymous_part.c
// Both files mean the same type, though it has no tag.
typedef struct { int x; struct { char tag; } in; } pair;
typedef struct node { struct node *next; int v; } node;
extern pair shared;
extern node *head;
pair twice(pair);
int main(void) {
  return twice(shared).x + head->next->v + twice(shared).in.tag;
}
