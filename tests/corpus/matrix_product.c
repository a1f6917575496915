// The product of square matrices; the transposed product is the product of the transposed ones in the other order.
#include <assert.h>
#include <string.h>

extern signed char __VERIFIER_nondet_char(void);

#define N 2

typedef struct {
  int at[N][N];
} matrix;

static matrix product(const matrix *a, const matrix *b) {
  matrix c;
  memset(&c, 0, sizeof c);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
#ifdef BUG
        c.at[i][j] += a->at[i][k] * b->at[j][k];
#else
        c.at[i][j] += a->at[i][k] * b->at[k][j];
#endif
  return c;
}

static matrix identity(void) {
  matrix m;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      m.at[i][j] = i == j;
  return m;
}

static matrix transposed(const matrix *m) {
  matrix t;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      t.at[j][i] = m->at[i][j];
  return t;
}

int main(void) {
  matrix a, one = identity();
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a.at[i][j] = __VERIFIER_nondet_char();
  matrix left = product(&one, &a), right = product(&a, &one);
  assert(memcmp(&right, &a, sizeof a) == 0);
  assert(memcmp(&left, &a, sizeof a) == 0);
  matrix t = transposed(&a);
  matrix tt = transposed(&t);
  assert(memcmp(&tt, &a, sizeof a) == 0);
  return 0;
}
