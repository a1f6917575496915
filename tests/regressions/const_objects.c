// Writing a `const` object is undefined, however it came to be `const` and however it is reached. It was not noticed behind a name of a type, for
// arrays that become pointers without `&`, for parameters, compound literals and arrays of variable length: gcc -O2 takes the old value.
//~ UNKNOWN!
//~ run: verify -DNAMED
//~ run: verify -p unreach-call -DNAMED_STATIC
//~ run: verify -DNAMED_ARRAY
//~ run: verify -DNAMED_STRUCT
//~ run: verify -DNAMED_POINTER
//~ run: verify -DNAME_OF_NAME
//~ run: verify -DTYPEOF
//~ run: verify -DTYPEOF_TARGET
//~ run: verify -DTYPEOF_MEMBER
//~ run: verify -DARRAY
//~ run: verify -DROWS
//~ run: verify -DARRAY_IN_STRUCT
//~ run: verify -DSTRUCT
//~ run: verify -DPARAMETER
//~ run: verify -DOLD_STYLE
//~ run: verify -DLITERAL
//~ run: verify -p unreach-call -DSTATIC_LITERAL
//~ run: verify -DVARIABLE_LENGTH
//~ SAFE
//~ run: verify -DHARMLESS
//~ UNKNOWN!
//~ run: verify --engine bmc -DNAMED
//~ run: verify -p unreach-call --engine bmc -DNAMED_STATIC
//~ run: verify --engine bmc -DARRAY
//~ run: verify --engine bmc -DVARIABLE_LENGTH
//~ run: verify -p valid-deref -DARRAY
//~ UNSAFE a write to memory that cannot be written
//~ run: verify -p valid-deref -DNAMED_STATIC
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
struct point { int x, y; };
struct row { int cells[2]; };
typedef const int number;
typedef number another;
typedef const int numbers[2];
typedef const struct point fixed;
typedef int *const pointer;
static number named_static = 3;
static int *literal = (int *)(const int[]){3, 3};
static void parameter(const int x) {
  *(int *)&x = 4;
  if (x == 4) reach_error();
}
static void old_style(x) const int x;
{
  *(int *)&x = 4;
  if (x == 4) reach_error();
}
static void names_only(const int a[], pointer p, numbers n) {
  int *q = (int *)a;
  q[0] = *p;
  ((int *)n)[1] = 1;
}
int main(void) {
  int *p = 0, old = 3;
#if defined NAMED
  number x = 3;
  p = (int *)&x;
#elif defined NAMED_STATIC
  p = (int *)&named_static;
#elif defined NAMED_ARRAY
  numbers x = {3, 3};
  p = (int *)x;
#elif defined NAMED_STRUCT
  fixed x = {3, 3};
  p = &((struct point *)&x)->y;
#elif defined NAMED_POINTER
  pointer x = &old;
  *(int **)&x = 0;
  if (!x) reach_error();
  p = &old;
#elif defined NAME_OF_NAME
  another x = 3;
  p = (int *)&x;
#elif defined TYPEOF
  const int first[2] = {3, 3};
  __typeof__(first[0]) x = 3;
  p = (int *)&x;
#elif defined TYPEOF_TARGET
  const int *target = &old;
  __typeof__(*target) x = 3;
  p = (int *)&x;
#elif defined TYPEOF_MEMBER
  struct point point = {3, 3};
  fixed *target = &point;
  __typeof__(target->x) x[2] = {3, target[0].y};
  p = (int *)x;
#elif defined ARRAY
  const int x[2] = {3, 3};
  p = (int *)x;
#elif defined ROWS
  const int x[2][2] = {{3, 3}, {3, 3}};
  p = (int *)x[1];
#elif defined ARRAY_IN_STRUCT
  const struct row x = {{3, 3}};
  p = (int *)x.cells;
#elif defined STRUCT
  const struct point x = {3, 3};
  p = &((struct point *)&x)->y;
#elif defined PARAMETER
  parameter(3);
  p = &old;
#elif defined OLD_STYLE
  old_style(3);
  p = &old;
#elif defined LITERAL
  p = (int *)(const int[]){3, 3};
#elif defined STATIC_LITERAL
  p = literal;
#elif defined VARIABLE_LENGTH
  const int x[old];
  p = (int *)x;
  *p = 3;
#else
  int elements[2] = {0, 3};
  names_only(elements, &old, elements);
  number constants[2] = {3, 3};
  p = elements;
  p[1] = constants[old - 3];
#endif
  *p = 4;
  if (*p != 4) reach_error();
#if !defined HARMLESS && !defined NAMED_POINTER && !defined PARAMETER && !defined OLD_STYLE
  reach_error();
#endif
  return 0;
}
