// The sine of a small angle by its series: intervals show what the circuits of seven multiplications hide.
//~ SAFE
//~ run: verify --property unreach-call
extern float __VERIFIER_nondet_float(void);
extern void reach_error(void);

int main(void)
{
    float x = __VERIFIER_nondet_float();
    if (!(x > -1.5f && x < 1.5f))
        return 0;
    float sine = x - (x * x * x) / 6.0f + (x * x * x * x * x) / 120.0f;
    if (!(sine <= 1.01f && sine >= -1.01f))
        reach_error();
    return 0;
}
