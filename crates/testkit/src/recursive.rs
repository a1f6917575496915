//! Small random recursive programs with a few four-bit inputs and assertions: recursion in one or two functions, through globals, pointers to variables of
//! callers and of other activations, allocations and loops. Small enough to run on every input.

use crate::random::Random;
use std::fmt::Write;

/// The program of a seed.
pub fn random(seed: u64) -> String {
    let mut generator = Generator { random: Random::new(seed), wild: 0 };
    // Half of the programs have no pointers to follow: more of them can be proved.
    generator.wild = generator.random.below(2);
    generator.program()
}

struct Generator {
    random: Random,
    /// Whether pointers occur.
    wild: usize,
}

impl Generator {
    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.random.below(choices.len())]
    }

    fn value(&mut self) -> &'static str {
        match self.wild {
            0 => self.pick(&["n", "m", "k", "g", "e[1]", "0", "1", "2", "5"]),
            _ => self.pick(&["n", "m", "k", "g", "e[n & 3]", "*p", "*gp", "0", "1", "3"]),
        }
    }

    fn expr(&mut self) -> String {
        let (a, b) = (self.value(), self.value());
        match self.random.below(5) {
            0 | 1 => a.to_string(),
            2 => format!("({a} {} {b})", self.pick(&["+", "-", "&", "|"])),
            3 => format!("({a} > {b} ? {a} : {b})"),
            _ => format!("({a} & 7)"),
        }
    }

    fn target(&mut self) -> &'static str {
        match self.wild {
            0 => self.pick(&["k", "g", "e[1]", "m", "n"]),
            _ => self.pick(&["k", "g", "e[n & 3]", "m", "*p", "*gp"]),
        }
    }

    fn pointer(&mut self) -> &'static str {
        match self.wild {
            0 => "&g",
            _ => self.pick(&["p", "p", "p", "&k", "&g", "&e[n & 3]", "gp"]),
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.value(), self.value());
        format!("{a} {} {b}", self.pick(&["<", "<=", "==", "!=", ">"]))
    }

    fn call(&mut self, names: &[&str]) -> String {
        let (name, argument, pointer) = (self.pick(names), self.expr(), self.pointer());
        format!("{name}(d - 1, {argument}, {}, {pointer})", self.pick(&["m", "n", "n - 1", "k", "7"]))
    }

    fn statement(&mut self, names: &[&str], text: &mut String) {
        let (target, value) = (self.target(), self.expr());
        let line = match self.random.below(if self.wild == 0 { 9 } else { 15 }) {
            0..=2 => format!("{target} = {value};"),
            3 => format!("if ({}) {target} = {value};", self.condition()),
            4 => format!("if ({}) return {value};", self.condition()),
            5 => format!("for (int i = 0; i < (m & 3); i++) {target} = {value};"),
            6 | 7 => format!("{} = {};", self.pick(&["k", "k", "g"]), self.call(names)),
            8 => format!("if ({}) k = {};", self.condition(), self.call(names)),
            9 => format!("gp = {};", self.pointer()),
            10 => "p = &k;".to_string(),
            11 => "{ int *q = malloc(4); if (q) { *q = k; k = *q; free(q); } }".to_string(),
            12 => format!("if ({}) {{ free(kept); kept = malloc(4); }}", self.condition()),
            13 => format!("if ({}) {{ free(kept); kept = 0; }}", self.condition()),
            _ => format!("//@ assert {};", self.condition()),
        };
        writeln!(text, "  {line}").expect("writing to a string");
    }

    fn function(&mut self, name: &str, names: &[&str]) -> String {
        let mut text = format!("int {name}(int d, int n, int m, int *p) {{\n  int k = m;\n");
        let value = self.expr();
        writeln!(text, "  if (d <= 0 || d > 3) return {value};").expect("writing to a string");
        for _ in 0..1 + self.random.below(3) {
            self.statement(names, &mut text);
        }
        if self.random.below(3) > 0 {
            writeln!(text, "  k = {};", self.call(names)).expect("writing to a string");
        }
        for _ in 0..self.random.below(3) {
            self.statement(names, &mut text);
        }
        let value = self.expr();
        text + &format!("  return {value};\n}}\n")
    }

    fn program(&mut self) -> String {
        let names: &[&str] = if self.random.below(2) == 0 { &["f"] } else { &["f", "h"] };
        let functions: String = names.iter().map(|name| self.function(name, names)).collect();
        let (pointer, again) = (self.pick(&["&x", "&g", "&e[1]"]), self.random.below(4) == 0);
        let looped = if again { "while (g < 3) { g++; r = f(c & 3, r, b, &x); }" } else { "" };
        let freed = if self.random.below(3) == 0 { "" } else { "free(kept);" };
        let asserted = self.pick(&[
            "r >= 0",
            "r <= 15",
            "x == 1",
            "g >= 0",
            "g == b",
            "r == a",
            "r != 9",
            "e[1] <= 5",
            "r >= g",
            "r <= a + b",
        ]);
        format!(
            "extern unsigned char __VERIFIER_nondet_uchar(void);
extern void *malloc(unsigned long);
extern void free(void *);
int g, e[4], *gp = &g, *kept;
int h(int d, int n, int m, int *p);
{functions}int main(void) {{
  int a = __VERIFIER_nondet_uchar() & 15, b = __VERIFIER_nondet_uchar() & 15, c = __VERIFIER_nondet_uchar() & 15;
  int x = 1;
  g = b;
  int r = f(c, a, b, {pointer});
  {looped}
  //@ assert {asserted};
  {freed}
  return 0;
}}
"
        )
    }
}
