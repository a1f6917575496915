//~ run: replay --quiet
//~ gcc
#include <stdio.h>
#include <string.h>
static int sign(int x) { return (x > 0) - (x < 0); }
int main(void) {
  char b[32], c[32] = "abc";
  printf("%s %s ", strcpy(b, "hello"), strcat(c, "def")); printf("%zu\n", strlen(c));
  printf("%d %d %d %d\n", sign(strcmp("a", "b")), sign(strcmp("\xff", "a")), strncmp("abc", "abd", 2), sign(memcmp("a\0b", "a\0c", 3)));
  printf("%s %s %d\n", strchr("hello", 'l'), strrchr("hello", 'l'), strchr("hello", 'z') == 0);
  printf("%s %d %s\n", strstr("haystack", "st"), strstr("x", "yy") == 0, strstr("any", ""));
  printf("%zu %zu %s\n", strspn("aabbc", "ab"), strcspn("hello", "lo"), strpbrk("hello", "xl"));
  memset(b, '-', 10); b[10] = 0; memmove(b + 2, b, 3); strncpy(b, "ab", 5); printf("%s|%d|%s\n", b, b[4], b + 5);
  strncat(c, "ghijk", 2); printf("%s %s\n", c, (char *)memchr(c, 'f', 10));
  char text[] = "a,b;;c"; for (char *t = strtok(text, ",;"); t; t = strtok(0, ",;")) printf("[%s]", t);
  char *d = strdup("copy"); printf("%s\n", d);
  return 0;
}
