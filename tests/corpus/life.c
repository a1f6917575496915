// Conway's game of life on a small torus.
#include <assert.h>
#include <string.h>

extern _Bool __VERIFIER_nondet_bool(void);

#define W 3
#define H 3

static unsigned char board[H][W];

static int neighbours(int y, int x) {
  int n = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (dy || dx)
#ifdef BUG
        n += board[(y + dy) % H][(x + dx) % W];
#else
        n += board[(y + dy + H) % H][(x + dx + W) % W];
#endif
  return n;
}

static void generation(void) {
  unsigned char next[H][W];
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      int n = neighbours(y, x);
      next[y][x] = n == 3 || (n == 2 && board[y][x]);
    }
  memcpy(board, next, sizeof board);
}

int main(void) {
  int alive = 0, after = 0;
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      alive += board[y][x] = __VERIFIER_nondet_bool();
  generation();
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      assert(board[y][x] <= 1);
      after += board[y][x];
    }
  if (alive <= 1)
    assert(after == 0);
  return 0;
}
