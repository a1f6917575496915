// The last element is not written, and none of the elements proves it.
//~ UNSAFE
//~ run: verify --property unreach-call
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int a[1000];

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000)
        return 0;
    for (int i = 0; i < n - 1; i++)
        a[i] = 7;
    for (int i = 0; i < n; i++) {
        if (a[i] != 7)
            reach_error();
    }
    return 0;
}
