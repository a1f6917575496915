//! Sizes, alignments, offsets and bit-field positions of random structs and unions.

use super::{PRELUDE, compare};
use crate::support::{compile_text, count, errors, none_failed, run_main, scratch};
use cfa::DataModel;
use cfa::interp::Config;
use std::fmt::Write;
use std::process::Command;
use testkit::random::Random;

const PLAIN: &[&str] = &[
    "char",
    "signed char",
    "short",
    "int",
    "long",
    "long long",
    "float",
    "double",
    "long double",
    "_Bool",
    "void *",
    "unsigned",
];
const BIT_FIELDS: &[(&str, usize)] = &[
    ("int", 32),
    ("unsigned", 32),
    ("char", 8),
    ("unsigned short", 16),
    ("long long", 64),
    ("unsigned long", 32),
    ("_Bool", 1),
    ("signed char", 8),
    ("enum small", 32),
];

/// Random record types `t0`, `t1`, … and what can be asked about each.
struct Types {
    random: Random,
    text: String,
    /// For each type, its bit-fields and its other members.
    members: Vec<(Vec<String>, Vec<String>)>,
}

impl Types {
    fn new(seed: u64, number: usize) -> Self {
        let mut types =
            Types { random: Random::new(seed), text: "enum small { A, B, C };\n".into(), members: Vec::new() };
        for index in 0..number {
            types.record(index);
        }
        types
    }

    fn one_in(&mut self, chance: usize) -> bool {
        self.random.below(chance) == 0
    }

    fn attributes(&mut self, of_record: bool) -> String {
        let mut text = String::new();
        if self.one_in(if of_record { 4 } else { 12 }) {
            text.push_str(" __attribute__((packed))");
        }
        if self.one_in(if of_record { 6 } else { 10 }) {
            write!(text, " __attribute__((aligned({})))", 1 << self.random.below(6)).expect("writing to a string");
        }
        text
    }

    fn record(&mut self, index: usize) {
        let pack = self.one_in(5).then(|| 1 << self.random.below(5));
        if let Some(pack) = pack {
            writeln!(self.text, "#pragma pack(push, {pack})").expect("writing to a string");
        }
        let kind = if self.one_in(5) { "union" } else { "struct" };
        let (mut bits, mut plain) = (Vec::new(), Vec::new());
        let body = self.body(index, &mut bits, &mut plain, 0);
        let attributes = self.attributes(true);
        writeln!(self.text, "typedef {kind} tag{index} {{\n{body}}}{attributes} t{index};")
            .expect("writing to a string");
        if pack.is_some() {
            self.text.push_str("#pragma pack(pop)\n");
        }
        self.members.push((bits, plain));
    }

    fn body(&mut self, index: usize, bits: &mut Vec<String>, plain: &mut Vec<String>, depth: usize) -> String {
        let mut body = String::new();
        for _ in 0..1 + self.random.below(6) {
            let name = format!("m{}", bits.len() + plain.len());
            let line = match self.random.below(12) {
                0..4 => {
                    let (ty, width) = BIT_FIELDS[self.random.below(BIT_FIELDS.len())];
                    match self.random.below(8) {
                        0 => format!("{ty} : 0;"),
                        1 => format!("{ty} : {};", 1 + self.random.below(width)),
                        _ => {
                            bits.push(name.clone());
                            let attributes = if self.one_in(12) { " __attribute__((packed))" } else { "" };
                            format!("{ty} {name} : {}{attributes};", 1 + self.random.below(width))
                        }
                    }
                }
                4 if index > 0 => {
                    plain.push(name.clone());
                    format!("t{} {name}{};", self.random.below(index), self.attributes(false))
                }
                5 if depth < 2 => {
                    let kind = if self.one_in(2) { "union" } else { "struct" };
                    let inner = self.body(index, bits, plain, depth + 1);
                    format!("{kind} {{\n{inner}}};")
                }
                6 => {
                    plain.push(name.clone());
                    format!("{} {name}[{}];", PLAIN[self.random.below(PLAIN.len())], 1 + self.random.below(4))
                }
                _ => {
                    plain.push(name.clone());
                    format!("{} {name}{};", PLAIN[self.random.below(PLAIN.len())], self.attributes(false))
                }
            };
            writeln!(body, "  {line}").expect("writing to a string");
        }
        body
    }

    /// Expressions whose values a layout decides, as constants.
    fn constants(&self) -> Vec<String> {
        let mut all = Vec::new();
        for (index, (_, plain)) in self.members.iter().enumerate() {
            all.push(format!("sizeof(t{index})"));
            all.push(format!("_Alignof(t{index})"));
            all.extend(plain.iter().map(|member| format!("__builtin_offsetof(t{index}, {member})")));
        }
        all
    }
}

#[test]
fn layouts_agree_with_gcc() {
    let mut failures = Vec::new();
    for batch in 0..count(3) {
        let types = Types::new(batch as u64 + 1, 60);
        let mut program = format!("{PRELUDE}{}int main(void) {{\n", types.text);
        for constant in types.constants() {
            writeln!(program, "  printf(\"{constant} %d\\n\", (int){constant});").expect("writing to a string");
        }
        for (index, (bits, _)) in types.members.iter().enumerate() {
            for member in bits {
                writeln!(
                    program,
                    "  {{ t{index} x; memset(&x, 0, sizeof x); x.{member} = -1; show_bytes(\"t{index}.{member}\", &x, sizeof x);\
                     \n    memset(&x, -1, sizeof x); x.{member} = 0; show_bytes(\"t{index}.{member}\", &x, sizeof x);\
                     \n    x.{member}++; x.{member} -= 3; show_int(\"t{index}.{member}\", x.{member} + 0); }}"
                )
                .expect("writing to a string");
            }
        }
        program.push_str("  return 0;\n}\n");
        failures.extend(compare(&format!("layouts-{batch}"), &program));
    }
    none_failed(&failures);
}

/// Nothing 32-bit can be run here, but gcc can be asked whether it computes the same constants.
#[test]
fn layouts_of_32_bits_agree_with_gcc() {
    let mut failures = Vec::new();
    for batch in 0..count(3) {
        let types = Types::new(1000 + batch as u64, 60);
        let constants = types.constants();
        let mut program = format!("int printf(const char *, ...);\n{}int main(void) {{\n", types.text);
        for constant in &constants {
            writeln!(program, "  printf(\"%d\\n\", (int){constant});").expect("writing to a string");
        }
        program.push_str("  return 0;\n}\n");
        let (sources, compiled) = compile_text("layouts.c", program.into_bytes(), DataModel::Ilp32);
        let rejected = errors(&sources, &compiled);
        if !rejected.is_empty() {
            failures.push(rejected.join("\n"));
            continue;
        }
        let run = run_main(&compiled.program, vec![b"program".to_vec()], &Config::default()).expect("there is a main");
        let values = String::from_utf8_lossy(&run.stdout).into_owned();
        let mut claims = types.text;
        for (constant, value) in constants.iter().zip(values.lines()) {
            writeln!(claims, "_Static_assert({constant} == {value}, \"\");").expect("writing to a string");
        }
        assert_eq!(values.lines().count(), constants.len());
        let path = scratch("gcc").join(format!("layouts32-{batch}.c"));
        std::fs::write(&path, claims).expect("the build folder can be written");
        let output =
            Command::new("gcc").args(["-m32", "-w", "-fsyntax-only"]).arg(&path).output().expect("gcc can be run");
        if !output.status.success() {
            failures.push(String::from_utf8_lossy(&output.stderr).lines().take(60).collect::<Vec<_>>().join("\n"));
        }
    }
    none_failed(&failures);
}
