// Whether a weak symbol that only the system can define is there is not known.
//~ SAFE
//~ run: verify
extern void __gmon_start__(void) __attribute__((weak));
int main(void) { return __gmon_start__ != 0; }
