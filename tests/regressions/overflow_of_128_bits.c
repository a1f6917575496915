// No type has room for the exact result.
//~ SAFE
//~ run: verify
int main(void) {
  __int128 r;
  return __builtin_add_overflow((__int128)1, 2, &r);
}
