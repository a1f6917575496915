//! Recursive programs that violate a property, each by something that recursion changes in another way: no contract proves them.

use base::Budget;
use cfa::{DataModel, Property, PropertySet, Task};
use engine::{Options, bmc, induction};
use evidence::Verdict;
use std::time::Duration;

const HEAD: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void *malloc(unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);
";

const PROGRAMS: [&str; 12] = [
    // Memory that is freed deep down.
    "int *p; void f(int n) { if (n > 0) f(n - 1); else free(p); }
int main(void) { p = malloc(4); if (!p) return 0; f(__VERIFIER_nondet_int()); *p = 1; return 0; }",
    // A global pointer that is turned.
    "int x, y, *q = &x; void f(int n) { if (n <= 0) return; q = &y; f(n - 1); }
int main(void) { x = 1; y = 2; f(__VERIFIER_nondet_int()); if (*q != 1) reach_error(); return 0; }",
    // A pointer to a function that is turned.
    "int one(void) { return 1; } int two(void) { return 2; } int (*h)(void) = one;
void f(int n) { if (n <= 0) return; if (n == 7) h = two; f(n - 1); }
int main(void) { f(__VERIFIER_nondet_int()); if (h() == 2) reach_error(); return 0; }",
    // Structures that are passed and returned.
    "struct s { int a; int b; }; struct s f(struct s v, int n) { if (n <= 0) return v; v.a++; v = f(v, n - 1); v.b++; return v; }
int main(void) { struct s v = {0, 0}; int n = __VERIFIER_nondet_int(); if (n > 6) return 0; v = f(v, n); if (v.b == 5) reach_error(); return 0; }",
    // A pointer in such a structure.
    "struct s { int a; int *b; }; int z; struct s f(struct s v, int n) { if (n <= 0) return v; v.b = &z; return f(v, n - 1); }
int main(void) { int loc = 3; struct s v = {0, &loc}; v = f(v, __VERIFIER_nondet_int()); if (*v.b == 0) reach_error(); return 0; }",
    // A pointer that is returned.
    "int a, b; int *f(int n, int *p) { if (n <= 0) return p; int *q = f(n - 1, n == 4 ? &b : p); return q; }
int main(void) { int *r = f(__VERIFIER_nondet_int(), &a); *r = 5; if (b == 5) reach_error(); return 0; }",
    // An array of each activation.
    "int deep; int f(int n) { int here[2]; here[0] = n; if (n <= 0) return deep; deep++; int r = f(n - 1); if (here[0] != n) reach_error(); return r + here[0] - n; }
int main(void) { if (f(__VERIFIER_nondet_int() & 7) == 6) reach_error(); return 0; }",
    // A variable of an activation above is written through a global.
    "int *keep; int f(int n) { int k = n; if (n <= 0) { if (keep) *keep = 100; return 0; } if (n == 2) keep = &k; f(n - 1); if (k == 100) reach_error(); return k; }
int main(void) { f(__VERIFIER_nondet_int()); return 0; }",
    // Pointers to variables of the caller and of other activations alternate.
    "int f(int n, int *s) { int mine = 0; if (n <= 0) return *s; *s += 1; return f(n - 1, n & 1 ? s : &mine); }
int main(void) { int s = 0; int r = f(__VERIFIER_nondet_int(), &s); if (r == 1 && s == 1) reach_error(); return 0; }",
    // Recursion in a loop.
    "static int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
int main(void) { int i = 0; while (__VERIFIER_nondet_int()) { i++; if (i > 5) i = 0; if (fact(i) == 120) reach_error(); } return 0; }",
    // Two functions that undo what the other one does.
    "int g; int h(int n); int f(int n) { if (n <= 0) return 0; g++; return h(n - 1); } int h(int n) { if (n <= 0) return 1; g--; return f(n - 1); }
int main(void) { int r = f(__VERIFIER_nondet_int()); if (r == 1 && g == 1) reach_error(); return 0; }",
    // Memory that shrinks.
    "char *s; void f(int n) { if (n <= 0) return; char *r = realloc(s, n); if (!r) return; s = r; f(n - 1); }
int main(void) { s = malloc(10); if (!s) return 0; f(__VERIFIER_nondet_int() & 7); s[9] = 1; return 0; }",
];

#[test]
fn what_recursion_changes_is_not_overlooked() {
    let properties = PropertySet::of(&[Property::UnreachCall, Property::ValidDeref]);
    for text in PROGRAMS {
        let (_, compiled) = testkit::compile(format!("{HEAD}{text}").as_bytes(), DataModel::Lp64);
        assert!(!compiled.has_errors(), "{:?}\n{text}", compiled.diagnostics);
        let program = &compiled.program;
        let entry = program.function_named("main").expect("main");
        let task = Task { program, entry, properties };
        let bounded = Options { unwind: Some(12), ..Options::default() };
        let violated = bmc::decide(task, &bounded, &Budget::for_duration(Duration::from_secs(30)));
        assert!(matches!(violated.verdict, Verdict::Unsafe(_)), "{:?}\n{text}", violated.verdict);
        for decide in [induction::decide, induction::decide_without_unwinding] {
            let answer = decide(task, &Options::default(), &Budget::for_duration(Duration::from_secs(3)));
            assert!(matches!(answer.verdict, Verdict::Unknown(_)), "{:?}\n{text}", answer.verdict);
        }
    }
}
