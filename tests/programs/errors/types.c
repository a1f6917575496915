//~ run: check
struct incomplete; struct s { int a; } s; union u { int a; } u; void v(void); enum e { A, A };
int a[] ; int b[-1]; int c[2] = { 1, 2, 3 }; static int d = v; int e = { };
typedef int t; int t; float f; int f(void); int dup(int x, int x) { return x; }
int main(void) {
  struct incomplete i; s = u; s = 1; *1; f % 2; &5; 1 = 2; v() + 1; !s; -s; (struct s)1;
  if (s) ; while (u) ; switch (1.5) { case 1: case 1: default: default: ; } for (; s; ) ;
  case 3: continue; return s; sizeof(struct incomplete); a.x; s->a; s.z; undeclared(1); t + 1;
  int x = "str"; int *p = 1.5; char *q = s; x(); (*x)(); x[s]; x[0]; lbl: lbl: ; x = sizeof v;
  const int k = 1; k = 2; int z[2]; z = z; z++; v = 0; A = 1; ++1; void w; int n[s];
}
_Static_assert(sizeof(int) == 8, "int is small");
