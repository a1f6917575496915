// A proof by shapes: a list of any length is built, walked and freed.
//~ SAFE
//~ run: verify --engine shapes --property unreach-call
//~ run: verify --engine shapes --property valid-deref --property valid-free --property valid-memtrack
//~ run: verify --property valid-deref --property valid-free --property valid-memtrack
extern void *malloc(unsigned long);
extern void free(void *);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct node {
    int data;
    struct node *next;
};

int main(void) {
    struct node *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof(*node));
        node->data = 1;
        node->next = list;
        list = node;
    }
    for (struct node *node = list; node; node = node->next) {
        if (node->data != 1) {
            reach_error();
        }
    }
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
