//! Random expressions over variables of all arithmetic types. Undefined behaviour is kept out by construction: divisors are positive, shift
//! amounts small, floating-point values are brought into range before they become integers.

use super::{PRELUDE, compare};
use crate::support::{count, none_failed};
use std::fmt::Write;
use testkit::random::Random;

const INTEGERS: &[(&str, &str)] = &[
    ("_Bool", "b"),
    ("char", "c"),
    ("signed char", "sc"),
    ("unsigned char", "uc"),
    ("short", "s"),
    ("unsigned short", "us"),
    ("int", "i"),
    ("unsigned", "u"),
    ("long", "l"),
    ("unsigned long", "ul"),
    ("long long", "ll"),
    ("unsigned long long", "ull"),
    ("__int128", "w"),
    ("unsigned __int128", "uw"),
];
const FLOATS: &[(&str, &str)] = &[("float", "f"), ("double", "d"), ("long double", "x")];
const LITERALS: &[&str] = &[
    "0",
    "1",
    "-1",
    "7",
    "255",
    "256",
    "-128",
    "32767",
    "65535",
    "2147483647",
    "(-2147483647-1)",
    "4294967295",
    "0x80000000",
    "1u",
    "3000000000u",
    "0x7fffffffffffffff",
    "0xffffffffffffffff",
    "-1L",
    "5ull",
    "'a'",
    "'\\xff'",
    "1LL << 40",
];
/// Without `0.0`: gcc 12 turns `0.0 - (double)n` into `-(double)n`, which has the wrong sign for zero.
const FLOAT_LITERALS: &[&str] =
    &["1.5f", "-2.25", "3.0L", "1e-3", "100.125f", "-0.0", "0x1.8p3", "7.0e2L", "0.1", "0.1f", "0.1L"];

const HELPERS: &str = "\
static void show_f(const char *w, float v) { show_bytes(w, &v, 4); }\n\
static void show_d(const char *w, double v) { show_bytes(w, &v, 8); }\n\
static void show_x(const char *w, long double v) { show_bytes(w, &v, 10); }\n\
static long double near(long double v) { return v > 0 && v < 100 ? v : 42.75L; }\n";

struct Expressions(Random);

impl Expressions {
    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.0.below(from.len())]
    }

    fn integer(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.0.below(3) {
                0 => format!("({})", self.pick(LITERALS)),
                _ => INTEGERS[self.0.below(INTEGERS.len())].1.to_string(),
            };
        }
        let a = self.integer(depth - 1);
        let b = self.integer(depth - 1);
        match (self.0.below(20), b) {
            (0..8, b) => {
                let op = self.pick(&["+", "-", "*", "&", "|", "^", "+", "-"]);
                format!("({a} {op} {b})")
            }
            (8, b) => format!("({a} / (({b} & 15) + 2))"),
            (9, b) => format!("({a} % (({b} & 63) + 3))"),
            (10, b) => format!("({a} << ({b} & 15))"),
            (11, b) => format!("({a} >> ({b} & 15))"),
            (12, b) => {
                let op = self.pick(&["<", "<=", ">", ">=", "==", "!=", "&&", "||"]);
                format!("({a} {op} {b})")
            }
            (13, b) => {
                let c = self.integer(depth - 1);
                format!("({c} ? {a} : {b})")
            }
            (14, _) => {
                let op = self.pick(&["-", "~", "!", "+"]);
                format!("({op}{a})")
            }
            (15, _) => {
                let f = self.float(depth - 1);
                format!("(({})near({f}))", INTEGERS[self.0.below(INTEGERS.len())].0)
            }
            (16, _) => {
                let (f, g) = (self.float(depth - 1), self.float(depth - 1));
                let op = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({f} {op} {g})")
            }
            (_, _) => format!("(({}){a})", INTEGERS[self.0.below(INTEGERS.len())].0),
        }
    }

    fn float(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.0.below(3) {
                0 => format!("({})", self.pick(FLOAT_LITERALS)),
                _ => FLOATS[self.0.below(FLOATS.len())].1.to_string(),
            };
        }
        let a = self.float(depth - 1);
        match self.0.below(9) {
            0..3 => {
                let (op, b) = (self.pick(&["+", "-", "*"]), self.float(depth - 1));
                format!("({a} {op} {b})")
            }
            3 => {
                let b = self.float(depth - 1);
                format!("({a} / ({b} * {b} + 1.0f))")
            }
            4 => format!("(-{a})"),
            5 => {
                let (c, b) = (self.integer(depth - 1), self.float(depth - 1));
                format!("({c} ? {a} : {b})")
            }
            6 => {
                let (op, b) = (self.pick(&["+", "-", "*"]), self.integer(depth - 1));
                format!("({a} {op} {b})")
            }
            7 => format!("(({}){})", FLOATS[self.0.below(FLOATS.len())].0, self.integer(depth - 1)),
            _ => format!("(({}){a})", FLOATS[self.0.below(FLOATS.len())].0),
        }
    }

    fn value(&mut self, ty: &str) -> String {
        if ty.contains("128") {
            return format!("((({ty}){:#x}u << 64) + {:#x}u)", self.0.word(), self.0.word());
        }
        match self.0.below(4) {
            0 => self.pick(LITERALS).to_string(),
            1 => format!("{}", self.0.below(20)),
            _ => format!("({ty}){:#x}", self.0.word()),
        }
    }
}

#[test]
fn arithmetic_agrees_with_gcc() {
    let mut failures = Vec::new();
    for batch in 0..count(4) {
        let mut make = Expressions(Random::new(77 + batch as u64));
        let mut program = format!("{PRELUDE}{HELPERS}");
        let mut main = String::new();
        for case in 0..100 {
            write!(program, "static void case{case}(void) {{\n ").expect("writing to a string");
            for (ty, name) in INTEGERS {
                let value = make.value(ty);
                write!(program, " {ty} {name} = {value};").expect("writing to a string");
            }
            for (ty, name) in FLOATS {
                let value = make.pick(FLOAT_LITERALS);
                write!(program, " {ty} {name} = {value};").expect("writing to a string");
            }
            program.push('\n');
            for line in 0..3 {
                let depth = 1 + make.0.below(4);
                let (e, g) = (make.integer(depth), make.float(depth.min(3)));
                let what = format!("{case}.{line}");
                writeln!(program, "  show_int(\"{what}\", {e}); printf(\"%d\\n\", (int)sizeof({e}));")
                    .expect("writing to a string");
                writeln!(
                    program,
                    "  _Generic({g}, float: show_f, double: show_d, long double: show_x)(\"{what}\", {g});"
                )
                .expect("writing to a string");
            }
            let (ty, name) = INTEGERS[make.0.below(INTEGERS.len())];
            let op = make.pick(&["+=", "-=", "*=", "&=", "|=", "^="]);
            let right = make.integer(2);
            writeln!(
                program,
                "  {ty} old = {name}++; {name} {op} {right}; show_int(\"{case} {op}\", {name}--); show_int(\"\", old);"
            )
            .expect("writing to a string");
            let (fty, fname) = FLOATS[make.0.below(FLOATS.len())];
            writeln!(program, "  {fty} kept = {fname}--; {fname} += {name}; show_bytes(\"{case} float\", &{fname}, sizeof {fname} > 8 ? 10 : sizeof {fname}); kept = ++{fname};")
                .expect("writing to a string");
            program.push_str("}\n");
            write!(main, " case{case}();").expect("writing to a string");
        }
        writeln!(program, "int main(void) {{{main} return 0; }}").expect("writing to a string");
        failures.extend(compare(&format!("arithmetic-{batch}"), &program));
    }
    none_failed(&failures);
}
