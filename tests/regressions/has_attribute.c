// Once rejected: `__builtin_has_attribute` has an argument that is no expression.
//~ SAFE
//~ run: verify
int i __attribute__((aligned(8)));
_Static_assert(__builtin_has_attribute(i, aligned), "");
int main(void) { return !__builtin_has_attribute(i, aligned(8)) + __builtin_has_attribute(int, packed); }
