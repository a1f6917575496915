// Shapes prove only: a defect is something that could not be excluded.
//~ UNSAFE
//~ run: verify --engine shapes --property valid-deref --property valid-free --property valid-memtrack
//~ run: verify --property valid-deref --property valid-free --property valid-memtrack
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);

struct node {
    int data;
    struct node *next;
};

int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof(*node));
        node->next = list;
        list = node;
    }
    while (list) {
        free(list);
        list = list->next;
    }
    return 0;
}
