//! Programs that are proved, with one operator or constant changed: enumeration says which of the mutants are violated, and none of these is proved.

mod support;

use cfa::{Property, PropertySet};
use engine::engine;
use testkit::mutants::mutants;
use testkit::random::Random;

/// How many mutants each engine is asked about.
const MUTANTS: u64 = 12;

const HEAD: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
";

/// Three inputs, of which the low four bits matter.
const BODIES: [&str; 7] = [
    "int i = 0, s = 0; while (i < a) { i++; s += 2; } if (s != i + i) reach_error();",
    "int x = a, y = b; while (x > 0) { x--; y++; } if (y != a + b) reach_error();",
    "int state = 1, flag = 0; for (int i = 0; i < a + b; i++) { if (state == 1) { state = 4; flag = 1; } else if (state == 4) state = 7; else if (flag != 1) reach_error(); }",
    "int t[8], i = 0; while (i < 8) { if (i < a) t[i] = i; else t[i] = 7; i++; } if (i > 8 || t[b & 7] > 7) reach_error();",
    "int lock = 0; for (int i = 0; i < a; i++) { if (lock != 0) reach_error(); lock = 1; if (i > b) lock = 0; else lock -= 1; } if (lock != 0) reach_error();",
    "int low = 0, high = 16; while (high - low > 1) { int middle = (low + high) / 2; if (middle <= a) low = middle; else high = middle; } if (low > a || high <= a) reach_error();",
    "int n = 0; for (int i = 0; i < a; i++) for (int k = 0; k < b; k++) { n++; if (n > 300) reach_error(); if (k > i + b) reach_error(); }",
];

fn program(body: &str) -> String {
    let read = "__VERIFIER_nondet_int() & 15";
    format!("{HEAD}int main(void) {{ int a = {read}, b = {read}, c = {read};\n  {body}\n  return c & 1; }}\n")
}

#[test]
fn mutants_and_enumeration_agree() {
    let properties = PropertySet::of(&[Property::UnreachCall, Property::ValidDeref]);
    let runs = support::numbers();
    // The parts around the body stay as they are.
    let all: Vec<String> = BODIES.iter().flat_map(|body| mutants(body)).map(|body| program(&body)).collect();
    let mut random = Random::new(7);
    let mut counts = support::Counts::default();
    for name in ["auto", "induction", "predicates", "values"] {
        let decide = engine(name).expect("in the table").decide;
        for seed in 0..support::scaled(MUTANTS) {
            let text = &all[random.below(all.len())];
            counts.add(support::compare_by(decide, seed, text, properties, &runs));
        }
    }
    assert!(counts.safe >= 3 && counts.violated >= 3, "{counts:?}");
}

#[test]
fn the_originals_are_proved() {
    let properties = PropertySet::of(&[Property::UnreachCall, Property::ValidDeref]);
    for body in BODIES {
        let decided = support::compare(0, &program(body), properties, &support::numbers());
        assert_eq!(decided, Some(true), "{body}");
    }
}
