// The faulty absolute value of paper 4: the wrong variable is negated, so `abs` keeps the negative value.
//~ UNSAFE
//~ run: localize --entry absValue --no-repair
//~ run: localize --entry absValue --inputs -1 --method flow
int absValue(int input) {
  int sign, abs;
  abs = input;
  if (input == 0)
    return 0;
  if (input < 0) {
    sign = -1;
  } else {
    sign = 1;
  }
  if (sign == -1) {
    sign = input * -1;
  } else {
    abs = input;
  }
  //@ assert abs >= 0;
  return abs;
}
