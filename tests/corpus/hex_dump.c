// Formats bytes as the line of a hex dump.
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

#define WIDTH 3
#ifdef BUG
#define LINE_SIZE (6 + 3 * WIDTH + WIDTH)
#else
#define LINE_SIZE (6 + 3 * WIDTH + WIDTH + 1)
#endif

static int dump_line(char *line, unsigned offset, const unsigned char *data, int n) {
  int at = sprintf(line, "%04x: ", offset & 0xffff);
  for (int i = 0; i < WIDTH; i++) {
    if (i < n)
      at += sprintf(line + at, "%02x ", data[i]);
    else
      at += sprintf(line + at, "   ");
  }
  for (int i = 0; i < n; i++)
    line[at++] = data[i] >= 0x20 && data[i] < 0x7f ? (char)data[i] : '.';
  line[at] = '\0';
  return at;
}

int main(void) {
  unsigned char data[WIDTH];
  char line[LINE_SIZE];
  for (int i = 0; i < WIDTH; i++)
    data[i] = __VERIFIER_nondet_uchar();
  for (int n = 1; n <= WIDTH; n++) {
    int length = dump_line(line, 0x12340, data, n);
    assert((size_t)length == strlen(line));
    assert(strncmp(line, "2340: ", 6) == 0);
    assert(isxdigit((unsigned char)line[6]));
  }
  return 0;
}
