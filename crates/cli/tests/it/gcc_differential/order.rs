//! Random expressions whose operands have side effects that the other operands see. gcc's order of evaluation is ours, except for the operands
//! that it swaps or evaluates in pieces: no variable is read by its name alone, nothing is subtracted, and the left side of `op=` is simple.

use super::compare;
use crate::support::{count, none_failed};
use std::fmt::Write;
use testkit::random::Random;

/// `t` says that it is called, and changes all that the expressions read.
const BEGIN: &str = "int printf(const char *, ...);
struct s { int x, y; struct { int z[3]; } in; } s, r, *p = &s;
unsigned h; int m[4], w[64], g, *q = m;
int t(int k) {
  printf(\" %d\", k);
  h = h * 31 + k; m[h & 3] += k; g = h >> 3 & 3; q = &m[h >> 1 & 3]; s.x += k; r.y ^= h; s.in.z[k % 3] += 2; p = h & 4 ? &s : &r;
  return h & 15;
}
void reset(void) {
  h = 5; for (int i = 0; i < 4; i++) m[i] = i + 1;
  g = 1; q = m; p = &s; s.x = s.y = r.x = r.y = 1; s.in.z[0] = s.in.z[1] = s.in.z[2] = 0;
}
int f1(int a) { printf(\" f%d\", a); s.y = a; return t(a & 7); }
int f2(int a, int b) { printf(\" f%d,%d\", a, b); m[1] ^= a - b; return a * 3 - b; }
int f3(int a, char b, long c) { printf(\" f%d,%d,%ld\", a, b, c); return a - b * 2 + c * 5; }
struct s make(int a) { struct s made = {t(a & 7), a}; return made; }
int take(int a, struct s b, int c) { printf(\" s%d,%d,%d,%d\", a, b.x, b.y, c); return b.x - b.y; }
int (*fs[4])(int, int) = {f2, f2, f2, f2};
";

struct Generator {
    random: Random,
    /// Elements of `w` that are assigned already: each is assigned once and never read, so that nothing is undefined.
    assigned: usize,
    calls: usize,
}

impl Generator {
    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            self.calls += 1;
            return match self.random.below(9) {
                0 => format!("m[{}]", self.random.below(4)),
                1 => "s.x".into(),
                2 => "p->y".into(),
                3 => "*q".into(),
                4 => "m[g]".into(),
                5 => "s.in.z[g % 3]".into(),
                _ => format!("t({})", self.calls),
            };
        }
        let depth = depth - 1;
        let (a, b) = (self.expression(depth), self.expression(depth));
        match self.random.below(12) {
            0..=3 => {
                // Nothing that gcc simplifies when operands are alike.
                let operators = ["+", "|", "* 3 <", "<<"];
                let operator = operators[self.random.below(operators.len())];
                let right = if operator == "<<" { format!("({b} & 3)") } else { b };
                format!("({a} {operator} {right})")
            }
            4 => format!("f2({a}, {b})"),
            5 => format!("f3({a}, {b}, {})", self.expression(depth)),
            6 => format!("fs[({a}) & 3]({b}, {})", self.expression(0)),
            7 => format!("take({a}, s, {b})"),
            8 => format!("take({a}, make({b}), {})", self.expression(0)),
            9 => format!("m[({a} + {b}) & 3]"),
            10 => {
                self.calls += 2;
                format!("(t({}) & 1 ? {a} : t({}))", self.calls - 1, self.calls)
            }
            _ => {
                self.assigned += 1;
                format!("(w[{} + 0 * ({a} & 3)] = {b})", self.assigned % 64)
            }
        }
    }

    fn statement(&mut self) -> String {
        self.calls = 0;
        let a = self.expression(2);
        let b = self.expression(2);
        self.assigned = 0;
        let text = match self.random.below(9) {
            0 => format!("m[{a} & 3] = {b};"),
            1 => format!("*q = {a};"),
            2 => format!("p->x = {a};"),
            3 => format!("m[t(50) & 3] -= {b};"),
            4 => format!("*q += {a};"),
            5 => format!("{{ int x[3] = {{{a}, {b}, m[1]}}; printf(\" %d %d %d\", x[0], x[1], x[2]); }}"),
            6 => format!("{{ struct s x = {{.y = {a}, .x = {b}}}; printf(\" %d %d\", x.x, x.y); }}"),
            7 => format!("printf(\" %d %d\", {a}, {b});"),
            _ => format!("f1({a});"),
        };
        format!(
            "  reset(); {text}\n  printf(\" | %d %d %d %d %d %d %d %d\\n\", m[0], m[1], m[2], m[3], g, s.x, s.y, r.y);\n"
        )
    }
}

#[test]
fn operands_are_evaluated_in_the_order_of_gcc() {
    let mut failures = Vec::new();
    for seed in 0..count(6) {
        let mut generator = Generator { random: Random::new(7000 + seed as u64), assigned: 0, calls: 0 };
        let mut text = String::from(BEGIN);
        for function in 0..40 {
            let body: String = (0..4).map(|_| generator.statement()).collect();
            write!(text, "void test{function}(void) {{\n{body}}}\n").expect("writing to a string");
        }
        let calls: String = (0..40).map(|function| format!("  test{function}();\n")).collect();
        write!(text, "int main(void) {{\n{calls}  return 0;\n}}\n").expect("writing to a string");
        failures.extend(compare(&format!("order{seed}"), &text));
    }
    none_failed(&failures);
}
