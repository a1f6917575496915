//~ run: replay --inputs -1,300,true,1.5,0x7fffffffffffffff,65,NULL,-1
int main(void) {
  int i = __VERIFIER_nondet_int();
  unsigned char c = __VERIFIER_nondet_uchar();
  _Bool b = __VERIFIER_nondet_bool();
  double d = __VERIFIER_nondet_double();
  long l = __VERIFIER_nondet_long();
  float f = __VERIFIER_nondet_float();
  void *p = __VERIFIER_nondet_pointer();
  unsigned u = __VERIFIER_nondet_uint();
  //@ assert i == -1 && c == 44 && b && d == 1.5 && l > 0 && f == 65 && !p && u == 4294967295;
  return 0;
}
