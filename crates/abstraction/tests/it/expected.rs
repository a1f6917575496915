//! Small loops, and the facts that are found at their heads.

use super::{compile, facts};
use base::Budget;
use cfa::DataModel;
use cfa::display::expr_to_c;
use std::time::Duration;

fn with_declarations(body: &str) -> String {
    format!(
        "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
        extern void abort(void);
        static void assume_abort_if_not(int cond) {{ if (!cond) abort(); }}
        {body}"
    )
}

/// The facts at all loop heads, in the order of the heads.
fn texts(body: &str) -> Vec<String> {
    let (mut program, entry) = compile(body, &with_declarations(body), DataModel::Lp64);
    let found = facts(&mut program, entry);
    found.into_iter().map(|(_, fact)| expr_to_c(&program, fact).expect("it is C")).collect()
}

/// Programs with facts that must be among those found.
const EXPECTED: &[(&str, &[&str])] = &[
    ("int main(void) { int i = 0; while (i < 100) i += 2; return i; }", &["i >= 0", "i <= 100", "i % 2 == 0"]),
    (
        "int main(void) { int n = __VERIFIER_nondet_int(); assume_abort_if_not(n > 0 && n < 50);
           int i = 0, s = 0; while (i < n) { i++; s += 3; } return s; }",
        &["n >= 1", "n <= 49", "i <= 49", "i <= n", "s == 3U * i"],
    ),
    (
        "int state, x; int main(void) { state = 1; while (__VERIFIER_nondet_int()) {
           if (state == 1) { state = 4; x = 7; } else if (state == 4) state = 9; else state = 1; } return x; }",
        &["state == 1 | state == 4 | state == 9", "x == 0 | x == 7"],
    ),
    (
        "int main(void) { unsigned char c = 0; unsigned u = 5; for (;;) { c += 4; u = u * 2 + 1;
           if (c == 8 && u == 3) break; } return 0; }",
        &["c <= 252", "c % 4 == 0", "u % 2 == 1"],
    ),
    (
        "int main(void) { double d = 0.0; int k = 0; while (d < 10.0) { d = d + 0.5; k++; } return k; }",
        &["d >= 0.0", "d <= 10.5"],
    ),
    (
        "struct s { int a, b; }; int main(void) { struct s s = { 1, 2 }, *p = &s;
           for (int i = 0; i < 10; i++) { p->a = i; s.b = 3; } return s.a; }",
        &["s.a >= 0", "s.a <= 9", "s.b >= 2", "s.b <= 3", "p != 0", "i <= 10"],
    ),
    (
        "int main(void) { int n = __VERIFIER_nondet_int(), i = 0, j; if (n < 0) return 0; j = n;
           while (i != n) { i++; j--; } return j; }",
        &["n >= 0", "i <= n", "j == (unsigned int)n - i"],
    ),
    (
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(), x = n, y = 0; while (x > 0) { x--; y++; }
           return y == n; }",
        &["y == n - x", "x <= n"],
    ),
    (
        "int main(void) { int a[20]; for (int i = 0; i < 20; i++) for (int j = i; j < 20; j++) a[j] = i; return a[3]; }",
        &["i <= 20", "i <= 19", "j <= 20", "i <= j"],
    ),
    (
        "int main(void) { int lo = 0, hi = 1000, x = __VERIFIER_nondet_int(); while (lo < hi) {
           int mid = (lo + hi) / 2; if (mid < x) lo = mid + 1; else hi = mid; } return lo; }",
        &["lo >= 0", "hi <= 1000", "lo <= hi"],
    ),
    (
        "int main(void) { unsigned f = 0; for (int k = 0; k < 9; k++) { unsigned r = __VERIFIER_nondet_uint();
           f = (r & 0xf0f0u) | 0x10u; if (r == 7) f = f ^ 0x8000u; } return f; }",
        &["f <= 61680", "f % 16 == 0", "(f & 3840) == 0"],
    ),
    (
        "static int total; static void add(int *p, int n) { *p += n; total += 2 * n; }
         int main(void) { int x = 0; for (int i = 0; i < 5; i++) add(&x, 1); return x + total; }",
        &["i >= 0", "i <= 5"],
    ),
    (
        "static int limit(int n) { if (n > 10) return 10; if (n < 0) return 0; return n; }
         int main(void) { int n = limit(__VERIFIER_nondet_int()); while (n > 0) n--; return n; }",
        &["n >= 0", "n <= 10"],
    ),
    (
        "static int f(int n) { return n <= 0 ? 0 : 1 + f(n - 1); }
         int main(void) { int i = 10; while (i > 0) { i--; f(i); } return 0; }",
        &["i >= 0", "i <= 10"],
    ),
];

#[test]
fn facts_of_small_loops() {
    for (body, expected) in EXPECTED {
        let found = texts(body);
        for fact in *expected {
            assert!(found.iter().any(|text| text == fact), "{fact} is missing in\n{body}\n{found:#?}");
        }
    }
}

/// One program for each domain whose fact no other domain gives.
#[test]
fn every_domain_gives_facts() {
    let example = |domain: &str| match domain {
        "values" => {
            ("int main(void) { int x = 1; while (__VERIFIER_nondet_int()) x = x == 1 ? 5 : 1; return x; }", "|")
        }
        "intervals" => (EXPECTED[0].0, "<="),
        "congruences" => (EXPECTED[0].0, "%"),
        "bits" => (
            "int main(void) { unsigned f = 0; while (f != 3) f = __VERIFIER_nondet_uint() & 0xf0f0f0u; return f; }",
            "&",
        ),
        "floats" => (EXPECTED[4].0, "10.5"),
        "equations" => (EXPECTED[7].0, "n - x"),
        "octagons" => (EXPECTED[8].0, "i <= j"),
        other => panic!("{other} has no example"),
    };
    for domain in abstraction::DOMAINS {
        let (body, part) = example(domain.name);
        let found = texts(body);
        assert!(found.iter().any(|text| text.contains(part)), "{}: {found:?}", domain.name);
    }
}

#[test]
fn branches_that_no_run_takes() {
    let body = "int main(void) { int x = __VERIFIER_nondet_int() & 7, y = 0; for (int i = 0; i < 10; i++) { y += 2;
        if (i > 9) y = 1; if (y % 2) return 1; if (x == 9) return 2; } if (x >= 0) return 0; return 3; }";
    let (program, entry) = compile(body, &with_declarations(body), DataModel::Lp64);
    let dead = abstraction::dead_edges(&program, entry, &Budget::unlimited());
    let texts: Vec<String> =
        dead.iter().map(|edge| cfa::display::op_to_c(&program, &program.edges[*edge].op)).collect();
    // `cond` is the parameter of a function that is never called.
    assert_eq!(texts, ["[!cond]", "[!!cond]", "[i > 9]", "[y % 2]", "[x == 9]", "[!(x >= 0)]"]);
}

#[test]
fn an_ended_budget_gives_nothing() {
    let (mut program, entry) = compile("loop", &with_declarations(EXPECTED[0].0), DataModel::Lp64);
    let ended = Budget::for_duration(Duration::ZERO);
    assert_eq!(abstraction::loop_facts(&mut program, entry, &ended), []);
    assert_eq!(abstraction::dead_edges(&program, entry, &ended), []);
}
