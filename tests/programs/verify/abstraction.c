// A proof by abstraction refinement: the lock is free whenever a round begins.
//~ SAFE
//~ run: verify --engine predicates --property unreach-call
//~ run: verify --engine values --property unreach-call
//~ run: verify --engine traces --property unreach-call
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int lock = 0;
    unsigned old = 0, new = 1;
    do {
        if (lock != 0) {
            reach_error();
        }
        lock = 1;
        old = new;
        if (__VERIFIER_nondet_int()) {
            lock = 0;
            new++;
        }
    } while (new != old);
    if (lock == 0) {
        reach_error();
    }
    return 0;
}
