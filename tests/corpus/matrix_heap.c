// A matrix of any shape on the heap, and its transposition.
#include <assert.h>
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);

struct matrix {
  size_t rows, columns;
  int *cells;
};

static struct matrix *matrix_new(size_t rows, size_t columns) {
  struct matrix *m = malloc(sizeof *m);
  if (!m)
    return NULL;
  m->rows = rows;
  m->columns = columns;
  m->cells = calloc(rows * columns, sizeof *m->cells);
  if (!m->cells) {
    free(m);
    return NULL;
  }
  return m;
}

static int *cell(const struct matrix *m, size_t row, size_t column) {
#ifdef BUG
  return &m->cells[row * m->rows + column];
#else
  return &m->cells[row * m->columns + column];
#endif
}

static struct matrix *transpose(const struct matrix *m) {
  struct matrix *t = matrix_new(m->columns, m->rows);
  if (!t)
    return NULL;
  for (size_t i = 0; i < m->rows; i++)
    for (size_t j = 0; j < m->columns; j++)
      *cell(t, j, i) = *cell(m, i, j);
  return t;
}

static void matrix_free(struct matrix *m) {
  if (m)
    free(m->cells);
  free(m);
}

int main(void) {
  struct matrix *m = matrix_new(1 + __VERIFIER_nondet_uint() % 2, 1 + __VERIFIER_nondet_uint() % 3);
  if (!m)
    return 1;
  for (size_t i = 0; i < m->rows; i++)
    for (size_t j = 0; j < m->columns; j++)
      *cell(m, i, j) = __VERIFIER_nondet_int();
  struct matrix *t = transpose(m);
  if (t)
    for (size_t i = 0; i < m->rows; i++)
      for (size_t j = 0; j < m->columns; j++)
        assert(*cell(t, j, i) == *cell(m, i, j));
  matrix_free(t);
  matrix_free(m);
  return 0;
}
