//! Random control flow: loops, switches with ranges and fall-through, jumps into and out of blocks. Fuel ends every run.

use super::{PRELUDE, compare};
use crate::support::{count, none_failed};
use std::fmt::Write;
use testkit::random::Random;

struct Flow {
    random: Random,
    labels: usize,
    /// Statements that may still be written.
    room: usize,
}

impl Flow {
    fn expression(&mut self) -> String {
        let k = self.random.below(7);
        match self.random.below(6) {
            0 => format!("a + {k}"),
            1 => format!("b ^ a * {k}"),
            2 => format!("(c++ & {k})"),
            3 => "a && b || c".into(),
            4 => format!("(a > {k} ? b : c--)"),
            _ => format!("({k} - (a, b))"),
        }
    }

    fn block(&mut self, depth: usize, in_loop: bool, in_switch: bool) -> String {
        let mut text = String::from("{ FUEL; ");
        if self.random.below(3) == 0 {
            text.push_str("int d = c; b += d; ");
        }
        for _ in 0..1 + self.random.below(4) {
            text.push_str(&self.statement(depth, in_loop, in_switch));
            text.push(' ');
        }
        text.push('}');
        text
    }

    fn statement(&mut self, depth: usize, in_loop: bool, in_switch: bool) -> String {
        let e = self.expression();
        if depth == 0 || self.room == 0 {
            return format!("b = {e};");
        }
        self.room -= 1;
        let label = self.labels;
        match self.random.below(14) {
            0 => format!(
                "if ({e}) {} else {}",
                self.block(depth - 1, in_loop, in_switch),
                self.statement(depth - 1, in_loop, in_switch)
            ),
            1 => format!("while ({e}) {}", self.block(depth - 1, true, false)),
            2 => format!("do {} while ({e});", self.block(depth - 1, true, false)),
            3 => format!("for (i = 0; i < 4; i++, c += i) {}", self.block(depth - 1, true, false)),
            4 | 5 => {
                let mut text = format!("switch (({e}) & 15) {{ ");
                let mut value = self.random.below(3);
                while value < 16 {
                    let high = value + self.random.below(3);
                    match self.random.below(4) {
                        0 if high > value => write!(text, "case {value} ... {high}: "),
                        _ => write!(text, "case {value}: "),
                    }
                    .expect("writing to a string");
                    write!(text, "{} ", self.block(depth - 1, in_loop, true)).expect("writing to a string");
                    value = high + 1 + self.random.below(4);
                }
                if self.random.below(2) == 0 {
                    write!(text, "default: {}", self.statement(depth - 1, in_loop, true)).expect("writing to a string");
                }
                text + " }"
            }
            6 if in_loop => "if (c & 1) continue; ".into(),
            7 if in_loop || in_switch => "if (b & 2) break; ".into(),
            8 | 9 => {
                self.labels += 1;
                format!("l{label}: FUEL; {}", self.statement(depth - 1, in_loop, in_switch))
            }
            10 => format!("if ({e} > {}) goto TARGET{};", self.random.below(5), self.random.below(1000)),
            11 => format!("a = ({{ int t = {e}; if (t > 3) t--; t; }});"),
            12 => format!("a += f{}(b - {});", self.random.below(2), self.random.below(3)),
            _ => format!("b = {e}; printf(\"%d \", b);"),
        }
    }
}

#[test]
fn control_flow_agrees_with_gcc() {
    let mut failures = Vec::new();
    for batch in 0..count(3) {
        let mut flow = Flow { random: Random::new(900 + batch as u64), labels: 0, room: 0 };
        let mut program = format!(
            "{PRELUDE}static int fuel;\nstatic int f0(int x) {{ return x * 3; }}\nstatic int f1(int x) {{ fuel++; return x / 2; }}\n"
        );
        let mut main = String::new();
        for case in 0..40 {
            (flow.labels, flow.room) = (1, 60);
            let mut body: String = (0..6).map(|_| flow.statement(5, false, false) + "\n  ").collect();
            // Jumps were written before all labels were known.
            while let Some(at) = body.find("TARGET") {
                let digits: String = body[at + 6..].chars().take_while(char::is_ascii_digit).collect();
                let number: usize = digits.parse().expect("written above");
                body.replace_range(at..at + 6 + digits.len(), &format!("l{}", number % flow.labels));
            }
            let body = body.replace("FUEL", "if (++fuel > 300) return -7");
            writeln!(program, "static int case{case}(int a, int b, int c) {{\n  int i = 0;\n  l0: if (++fuel > 300) return a;\n  {body}\n  return a + b + c;\n}}")
                .expect("writing to a string");
            for argument in [0, 5, -3] {
                writeln!(main, "  fuel = 0; printf(\"= %d\\n\", case{case}({argument}, {}, 9));", argument * 7 + 1)
                    .expect("writing to a string");
            }
        }
        writeln!(program, "int main(void) {{\n{main}  return 0;\n}}").expect("writing to a string");
        failures.extend(compare(&format!("control-{batch}"), &program));
    }
    none_failed(&failures);
}
