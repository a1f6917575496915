//~ run: replay --quiet
//~ gcc
// A bit-field of width zero aligns what follows as its type wants it, packed or not.
int printf(const char *, ...);
#pragma pack(push, 1)
struct s { char a : 5; int : 0; char b; };
struct t { int a : 5; long long : 0; long long b : 47; long c; };
#pragma pack(pop)
struct __attribute__((packed)) p { char a : 5; short : 0; char b; };
int main(void) {
  printf("%d %d %d\n", (int)sizeof(struct s), (int)sizeof(struct t), (int)sizeof(struct p));
  return (int)__builtin_offsetof(struct t, c);
}
