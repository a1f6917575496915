// What holds for all elements: what a loop writes, what it copies, and all but one of them.
//~ SAFE
//~ run: verify --engine induction --property unreach-call
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int from[1000], to[1000];

int main(void)
{
    int n = __VERIFIER_nondet_int(), hole = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000)
        return 0;
    for (int i = 0; i < n; i++)
        from[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) {
        if (i != hole)
            to[n - 1 - i] = from[i];
    }
    for (int i = 0; i < n; i++) {
        if (i != hole && to[n - 1 - i] != from[i])
            reach_error();
    }
    return 0;
}
