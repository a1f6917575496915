//! Bounded model checking against enumeration: small random programs with a few four-bit inputs. Whatever the engine calls violated was
//! replayed already; what it calls safe must be safe on every input, and what enumeration finds violated it must not call safe.

mod support;

use cfa::{Property, PropertySet};
use std::fmt::Write;
use testkit::random::Random;

const PROGRAMS: u64 = 40;

struct Generator {
    random: Random,
    text: String,
    depth: u32,
}

impl Generator {
    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.random.below(choices.len())]
    }

    fn scalar(&mut self) -> String {
        let choices = [
            "a",
            "b",
            "c",
            "x",
            "y",
            "u",
            "l",
            "t.f",
            "t.g",
            "t.bits",
            "*p",
            "arr[1]",
            "arr[a & 3]",
            "arr[(b + 1) & 3]",
            "v.byte[1]",
            "v.word",
            "q->g",
        ];
        self.pick(&choices).to_string()
    }

    fn expr(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.below(5) == 0 {
            return if self.random.below(3) == 0 {
                (self.random.below(40) as i64 - 12).to_string()
            } else {
                self.scalar()
            };
        }
        let (left, right) = (self.expr(depth - 1), self.expr(depth - 1));
        match self.random.below(12) {
            0..=5 => format!("({left} {} {right})", self.pick(&["+", "-", "*", "^", "&", "|"])),
            6 => format!("({left} {} {right})", self.pick(&["<", "<=", "==", "!=", ">"])),
            7 => format!("({left} {} ({right} & 7))", self.pick(&["<<", ">>"])),
            8 => format!("({left} {} (({right} & 7) + 1))", self.pick(&["/", "%"])),
            9 => format!("({left} ? {right} : x)"),
            10 => format!(
                "(({}) {left})",
                self.pick(&["char", "unsigned char", "short", "unsigned", "long", "float", "_Bool"])
            ),
            _ => format!("({left} {} {right})", self.pick(&["&&", "||"])),
        }
        .replace("(float) ", "(int)(float)(short) ")
    }

    fn line(&mut self, line: &str) {
        let indent = "  ".repeat(self.depth as usize + 1);
        writeln!(self.text, "{indent}{line}").expect("writing to a string");
    }

    fn statement(&mut self) {
        let value = self.expr(2);
        match self.random.below(13) {
            0..=3 => {
                let target = self.scalar();
                let target = if matches!(target.as_str(), "a" | "b" | "c") { "x".to_string() } else { target };
                let op = self.pick(&["=", "=", "+=", "^="]);
                self.line(&format!("{target} {op} {value};"));
            }
            4 => {
                let target = self.pick(&["&x", "&y", "&arr[2]", "&arr[b & 3]", "&t.g"]);
                self.line(&format!("p = {target};"));
            }
            5 => {
                let target = self.pick(&["&t", "&r"]);
                self.line(&format!("q = {target};"));
            }
            6 => self.line("r = t;"),
            7 => self.line(&format!("y = f({value}, x);")),
            8 if self.depth < 2 => self.block(&format!("if ({value}) {{"), "}"),
            9 if self.depth < 2 => {
                let counter = format!("i{}", self.depth);
                self.block(&format!("for (int {counter} = 0; {counter} < (b & 3); {counter}++) {{"), "}");
            }
            10 if self.depth < 2 => {
                self.line(&format!("switch ({value} & 3) {{ case 0: x++; case 1: y--; break; case 2: u = x; break; default: arr[0] = 7; }}"));
            }
            11 if self.depth < 2 => self.block("do {", "  x--; if (x < 0) break; } while (x > (c & 3) && x < 6);"),
            _ => self.line(&format!("u = {value};")),
        }
    }

    fn block(&mut self, open: &str, close: &str) {
        self.line(open);
        self.depth += 1;
        for _ in 0..1 + self.random.below(3) {
            self.statement();
        }
        self.depth -= 1;
        self.line(close);
    }

    fn program(seed: u64) -> String {
        let mut generator = Generator { random: Random::new(seed), text: String::new(), depth: 0 };
        for _ in 0..3 + generator.random.below(7) {
            generator.statement();
        }
        let left = generator.scalar();
        let limit = generator.random.below(30);
        let relation = generator.pick(&["!=", "<=", "!=", ">="]);
        format!(
            "extern unsigned char __VERIFIER_nondet_uchar(void);
struct s {{ char f; int g; unsigned bits : 5; }};
union w {{ unsigned char byte[4]; int word; }};
int f(int n, int m) {{ if (n <= 0 || n > 3) return m; return f(n - 1, m + n); }}
int main(void) {{
  int a = __VERIFIER_nondet_uchar() & 15, b = __VERIFIER_nondet_uchar() & 15, c = __VERIFIER_nondet_uchar() & 15;
  int x = a, y = 2, arr[4] = {{1, b, 3, 4}}, *p = &x;
  unsigned u = 5;
  long l = c;
  struct s t = {{1, 2, 3}}, r = {{4, 5, 6}}, *q = &t;
  union w v;
  v.word = 77;
{}  //@ assert {left} {relation} {limit};
  return 0;
}}
",
            generator.text
        )
    }
}

#[test]
fn engine_and_enumeration_agree() {
    let properties = PropertySet::of(&[Property::Assertion]);
    let programs = support::scaled(PROGRAMS);
    let mut counts = support::Counts::default();
    for seed in 0..programs {
        counts.add(support::compare(seed, &Generator::program(seed), properties, &support::numbers()));
    }
    assert!(counts.safe >= programs / 10 && counts.violated >= programs / 10, "{counts:?}");
}
