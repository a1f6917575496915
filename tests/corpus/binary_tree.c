// A binary search tree without balancing.
#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

typedef struct tree Tree;
struct tree {
  int key;
  Tree *left, *right;
};

static Tree *tree_insert(Tree *t, int key) {
  if (!t) {
    t = calloc(1, sizeof(Tree));
    if (!t)
      abort();
    t->key = key;
  } else if (key < t->key) {
    t->left = tree_insert(t->left, key);
  } else if (key > t->key) {
    t->right = tree_insert(t->right, key);
  }
  return t;
}

static int tree_min(const Tree *t) {
#ifdef BUG
  while (t->left->left)
    t = t->left;
  return t->left->key;
#else
  while (t->left)
    t = t->left;
  return t->key;
#endif
}

static bool tree_has(const Tree *t, int key) {
  while (t && t->key != key)
    t = key < t->key ? t->left : t->right;
  return t != NULL;
}

static void tree_free(Tree *t) {
  if (!t)
    return;
  tree_free(t->left);
  tree_free(t->right);
  free(t);
}

int main(void) {
  Tree *t = NULL;
  int smallest = INT_MAX;
  for (int i = 0; i < 3; i++) {
    int key = __VERIFIER_nondet_int();
    t = tree_insert(t, key);
    assert(tree_has(t, key));
    if (key < smallest)
      smallest = key;
  }
  assert(tree_min(t) == smallest);
  tree_free(t);
  return 0;
}
