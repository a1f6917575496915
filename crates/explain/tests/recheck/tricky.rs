//! Small programs where it is easy to say something wrong of a run.

use crate::oracles::Oracle;

/// The assertion fails whether or not the condition holds, so nothing but definition 4 asks for the condition.
pub const EITHER_WAY: Oracle = Oracle {
    text: "void either(int input) {
  int x = 1;
  int y = input - 42;
  if (y < 0)
    x = 0;
  //@ assert (x != 0) & (y < 0);
}
",
    entry: "either",
    inputs: &[41],
};

/// A bit-field has less than what is assigned to it.
pub const BIT_FIELD: Oracle = Oracle {
    text: "struct s { unsigned b : 3; int c; };
void bits(int n) {
  struct s t;
  t.c = 0;
  t.b = n;
  int y = t.b + t.c + 1;
  //@ assert y != 6;
}
",
    entry: "bits",
    inputs: &[13],
};

/// The element that a text means changes with its index.
pub const OLD_INDEX: Oracle = Oracle {
    text: "void index(int n) {
  int a[4] = {0, 0, 0, 0};
  int i = 1;
  a[i] = n;
  i = 2;
  int y = a[1] + i;
  //@ assert y != 5;
}
",
    entry: "index",
    inputs: &[3],
};

/// Two variables of one name.
pub const SHADOWED: Oracle = Oracle {
    text: "int add(int x, int y) {
  int n = x + y;
  return n * 2;
}
void shadow(int n) {
  int k = add(n + 1, 1) + n;
  //@ assert k != 13;
}
",
    entry: "shadow",
    inputs: &[3],
};

/// An input that is read after a relevant statement.
pub const LATE_INPUT: Oracle = Oracle {
    text: "extern int input(void);
void late(void) {
  int x = input();
  int y = x + 1;
  x = 0;
  int z = input();
  int w = y + z;
  //@ assert w != 5;
}
",
    entry: "late",
    inputs: &[1, 3],
};

/// A member of a union is changed by way of another.
pub const OVERLAPPING: Oracle = Oracle {
    text: "union w { unsigned char byte[4]; int word; };
void overlap(int n) {
  union w v;
  v.word = n;
  v.byte[0] = 7;
  int y = v.word;
  //@ assert y != 263;
}
",
    entry: "overlap",
    inputs: &[261],
};

/// Activations of one function.
pub const RECURSIVE: Oracle = Oracle {
    text: "int sum(int n) {
  if (n <= 0)
    return 0;
  int rest = sum(n - 1);
  return rest + n;
}
void recursive(int n) {
  int s = sum(n);
  //@ assert s != 6;
}
",
    entry: "recursive",
    inputs: &[3],
};

/// The condition of an error call is the assertion.
pub const ERROR_CALL: Oracle = Oracle {
    text: "void reach_error(void);
void calls(unsigned char n) {
  int x = n & 1;
  int *p = &x;
  *p = x + 1;
  if (x == 2)
    reach_error();
}
",
    entry: "calls",
    inputs: &[1],
};
