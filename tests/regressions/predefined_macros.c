// Once refused: a file without directives did not go through the preprocessor, which knows these names.
//~ SAFE
//~ run: verify
//~ run: verify --data-model ilp32
extern void reach_error(void);
int main(void) {
  if (__INT_MAX__ != 2147483647 || __SIZEOF_INT__ != 4 || __CHAR_BIT__ != 8 || __FLT_EVAL_METHOD__ != 0) reach_error();
  if (__LINE__ != 8 || __FILE__[0] != 't' || __func__[0] != 'm' || __FUNCTION__[1] != 'a') reach_error();
  if (sizeof(long) != __SIZEOF_LONG__) reach_error();
  return 0;
}
