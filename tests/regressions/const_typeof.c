// `typeof` of an lvalue that is `const` declares a `const` object; once only noticed where a name or its declaration said so.
//~ UNKNOWN!
//~ run: verify -DTYPE=s.c
//~ run: verify -DTYPE=fixed.v
//~ run: verify -DTYPE=rows[0][1]
//~ run: verify -DTYPE=1[rows[0]]
//~ run: verify -DTYPE=*s.q
//~ run: verify -DTYPE=**pp
//~ run: verify -DTYPE=p[1]
//~ run: verify -DTYPE=*(p+1)
//~ run: verify -DTYPE=*p++
//~ run: verify -DTYPE=*(i?p:&i)
//~ run: verify -DTYPE=*(i,p)
//~ run: verify -DTYPE=*&s.c
//~ run: verify -DTYPE=*result()
//~ run: verify -DTYPE=*(*callee)()
//~ run: verify -DTYPE=*(name)0
//~ run: verify -DTYPE=*automatic
//~ run: verify -DTYPE=(*row)[1]
//~ run: verify -DTYPE=unnamed.inner
//~ run: verify -DTYPE=_Generic(1,int:s.c)
//~ run: verify -DTYPE=__builtin_choose_expr(1,s.c,i)
//~ run: verify -DTYPE=__func__[0]
//~ run: verify --engine bmc -DTYPE=s.c
//~ run: verify -p unreach-call -DTYPE=s.c -DSTATIC
//~ run: verify -DTYPE=s.c -DLITERAL
//~ run: verify -DTYPE=s.c -DMEMBER
//~ run: verify -DTYPE=s.c -DPARAMETER
//~ run: verify -DTYPE=x -DSHADOW
//~ UNSAFE
//~ run: verify -DTYPE=s.v
//~ run: verify -DTYPE=s.c+0
//~ run: verify -DTYPE=(number)i
//~ run: verify -DTYPE=(i,s.c)
//~ run: verify -DTYPE=i?s.c:s.c
//~ run: verify -DTYPE=*s.k
//~ run: verify -DTYPE=copy
//~ run: verify -DTYPE=returned().v
//~ run: verify -DTYPE="a"[0]
//~ run: verify --engine bmc -DTYPE=s.v
//~ run: verify -DTYPE=i -DPARAMETER
//~ run: verify -DTYPE=x -DARRAY_PARAMETER
//~ run: verify --undefined-functions havoc -DTYPE=*({&i;}) -DOUTSIDE
extern void reach_error(void);
extern const int *result(void);
extern void outside(int *);
typedef const int number, *name;
struct pair {
  const int c;
  int v;
  const int *q;
  int *const k;
};
struct pair returned(void);
const int x = 1, global[2] = {1, 2};
static int check(int i) {
  struct pair s = {1, 2, &i, &i};
  const struct pair fixed = {1, 2, &i, &i};
  const int rows[2][2] = {{1}};
  const int *p = &i, **pp = &p, *(*callee)(void) = result, (*row)[2] = rows;
  __auto_type automatic = &s.c;
  __auto_type copy = s.c;
  struct {
    const struct {
      int inner;
    };
  } unnamed = {{1}};
#ifdef STATIC
  static __typeof__(TYPE) x = 3;
  *(int *)&x = 4;
#elif defined LITERAL
  __auto_type y = &(__typeof__(TYPE)){3};
  *(int *)y = 4;
#define x *y
#elif defined MEMBER
  struct {
    __typeof__(TYPE) m;
  } y = {3};
  *(int *)&y.m = 4;
#define x y.m
#elif defined OUTSIDE
  // Whether it is const is not known, so others may write it.
  __typeof__(TYPE) x = 3;
  outside(&x);
#elif defined SHADOW
  __typeof__(TYPE) x = 3;
  *(int *)&x = 4;
#else
  __typeof__(TYPE) x = 3;
  *(char *)&x = 4;
#endif
  return x == 4;
}
#undef x
#if defined PARAMETER
static int parameter(struct pair s, int i, __typeof__(TYPE) x) {
  *(int *)&x = 4;
  return x == 4;
}
#elif defined ARRAY_PARAMETER
static int parameter(struct pair s, int i, __typeof__(global) x) {
  const int other[2] = {4, 4};
  *(const int **)&x = other;
  return *x == 4;
}
#endif
int main(void) {
#if defined PARAMETER
  if (parameter((struct pair){1, 2, 0, 0}, 3, 3)) reach_error();
#elif defined ARRAY_PARAMETER
  if (parameter((struct pair){1, 2, 0, 0}, 3, global)) reach_error();
#else
  if (check(3)) reach_error();
#endif
  return 0;
}
