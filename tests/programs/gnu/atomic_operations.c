//~ run: replay --quiet
//~ gcc
int printf(const char *, ...);
static unsigned long long state = 88172645463325252ull, sum;
static unsigned long long random(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  // Half of the numbers are at the ends of the types.
  return state & 64 ? state : (state & 128 ? -1ull : 0) << (state >> 8 & 63);
}
static void mix(unsigned long long value) { sum = sum * 6364136223846793005ull + value + 1442695040888963407ull; }
#define UPDATE(op) \
  mix(__sync_fetch_and_##op(p, random())), mix(x), mix(__sync_##op##_and_fetch(p, random())), mix(x), \
  mix(__atomic_fetch_##op(&x, random(), 5)), mix(x), mix(__atomic_##op##_fetch(&x, random(), 5)), mix(x)
#define TEST(type) static void test_##type(void) { \
  type x = random(), *p = &x, y = random(), z = 0; \
  for (int i = 0; i < 8; i++) { \
    UPDATE(add); UPDATE(sub); UPDATE(and); UPDATE(or); UPDATE(xor); UPDATE(nand); \
    y = random() & 64 ? x : random(); \
    mix(__sync_bool_compare_and_swap(p, y, random())); mix(x); \
    y = random() & 64 ? x : random(); \
    mix(__sync_val_compare_and_swap(p, y, random())); mix(x); \
    mix(__sync_lock_test_and_set(p, random())); mix(x); \
    mix(__atomic_exchange_n(p, random(), 5)); mix(x); \
    y = random() & 64 ? x : random(); \
    mix(__atomic_compare_exchange_n(p, &y, random(), 0, 5, 5)); mix(x); mix(y); \
    y = random() & 64 ? x : random(); z = random(); \
    mix(__atomic_compare_exchange(p, &y, &z, 1, 5, 5)); mix(x); mix(y); mix(z); \
    __atomic_load(p, &y, 5); __atomic_exchange(p, &z, &y, 5); mix(x); mix(y); mix(z); \
    __atomic_store(p, &y, 5); mix(__atomic_load_n(p, 5)); __atomic_store_n(p, random(), 5); mix(x); \
  } \
  __sync_lock_release(p); mix(x); \
  printf(#type " %llx\n", sum); \
}
typedef signed char schar; typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned uint;
typedef unsigned long ulong; typedef long long llong; typedef unsigned long long ullong;
TEST(char) TEST(schar) TEST(uchar) TEST(short) TEST(ushort) TEST(int) TEST(uint) TEST(long) TEST(ulong) TEST(llong) TEST(ullong)
struct pair { int a, b; };
int main(void) {
  test_char(), test_schar(), test_uchar(), test_short(), test_ushort(), test_int(), test_uint();
  test_long(), test_ulong(), test_llong(), test_ullong();
  // On pointers they count bytes.
  int row[4] = {1, 2, 3, 4}, *p = row, i = 0;
  printf("%d ", *(int *)__sync_fetch_and_add(&p, 4));
  printf("%d\n", *__atomic_add_fetch(&p, 4, 5));
  printf("%d\n", __sync_bool_compare_and_swap(&p, row + 2, 0) && !p);
  // Each argument is evaluated once; what is stored does not change where.
  printf("%d ", __sync_add_and_fetch(&row[i++], 1));
  printf("%d\n", i);
  printf("%d ", __sync_add_and_fetch(&row[row[0]], 5));
  row[0] = 0;
  printf("%d ", __sync_add_and_fetch(&row[row[0]], 1));
  printf("%d %d %d\n", row[0], row[1], row[2]);
  _Bool flag = 0;
  printf("%d ", __atomic_test_and_set(&flag, 5));
  printf("%d ", __atomic_test_and_set(&flag, 5));
  __atomic_clear(&flag, 5);
  printf("%d %d\n", flag, (int)sizeof(__atomic_test_and_set(&flag, 5)));
  struct pair one = {1, 2}, two = {3, 4}, three;
  __atomic_exchange(&one, &two, &three, 5);
  printf("%d %d\n", one.b, three.b);
  double half = 0.5, copy;
  __atomic_load(&half, &copy, 5);
  __sync_synchronize(), __atomic_thread_fence(5), __atomic_signal_fence(5);
  printf("%g %d\n", copy, __atomic_always_lock_free(4, 0));
  return 0;
}
