//! Small loops, and the facts that are found at their heads.

use super::{compile, facts};
use cfa::DataModel;
use cfa::display::expr_to_c;

/// The facts at all loop heads of `main`, by the order of the heads.
fn texts(body: &str) -> Vec<String> {
    let text = format!(
        "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
        extern double __VERIFIER_nondet_double(void); extern void reach_error(void); extern void abort(void);
        static void assume_abort_if_not(int cond) {{ if (!cond) abort(); }}
        {body}"
    );
    let (mut program, entry) = compile(body, &text, DataModel::Lp64);
    let found = facts(&mut program, entry);
    found.into_iter().map(|(_, fact)| expr_to_c(&program, fact).expect("it is C")).collect()
}

#[test]
fn print_some() {
    for body in [
        "int main(void) { int i = 0; while (i < 100) i += 2; return i; }",
        "int main(void) { int n = __VERIFIER_nondet_int(); assume_abort_if_not(n > 0 && n < 50); int i = 0, s = 0; while (i < n) { i++; s += 3; } return s; }",
        "int state, x; int main(void) { state = 1; while (__VERIFIER_nondet_int()) { if (state == 1) { state = 4; x = 7; } else if (state == 4) state = 9; else state = 1; } return x; }",
        "int main(void) { unsigned char c = 0; unsigned u = 5; for (;;) { c += 4; u = u * 2 + 1; if (c == 8 && u == 3) break; } return 0; }",
        "int main(void) { double d = 0.0; int k = 0; while (d < 10.0) { d = d + 0.5; k++; } return k; }",
        "int main(void) { int x = __VERIFIER_nondet_int(), y = 0; do { y = x & 12; x = y % 5; } while (x != 3 && y > 0); return 0; }",
        "struct s { int a, b; }; int main(void) { struct s s = { 1, 2 }, *p = &s; for (int i = 0; i < 10; i++) { p->a = i; s.b = 3; } return s.a; }",
        "static int f(int n) { return n <= 0 ? 0 : 1 + f(n - 1); } int main(void) { int i = 10; while (i > 0) { i--; f(i); } return 0; }",
        "int main(void) { int n = __VERIFIER_nondet_int(), i = 0, j; if (n < 0) return 0; j = n; while (i != n) { i++; j--; } return j; }",
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(), x = n, y = 0; while (x > 0) { x--; y++; } return y == n; }",
        "int main(void) { int a[20]; for (int i = 0; i < 20; i++) for (int j = i; j < 20; j++) a[j] = i; return a[3]; }",
        "int main(void) { int lo = 0, hi = 1000, x = __VERIFIER_nondet_int(); while (lo < hi) { int mid = (lo + hi) / 2; if (mid < x) lo = mid + 1; else hi = mid; } return lo; }",
    ] {
        println!("{body}\n   {}", texts(body).join("\n   "));
    }
}
