//! Conditions about all elements of arrays against enumeration: random programs fill, copy and change arrays in loops, with bounds, indices and operators
//! that are often wrong by one, and assert something about the elements. What is called safe must be safe on every input.

mod support;

use cfa::{Property, PropertySet};
use testkit::random::Random;

const PROGRAMS: u64 = 20;

#[test]
fn proofs_about_elements_and_enumeration_agree() {
    let properties = PropertySet::of(&[Property::Assertion]);
    let programs = support::scaled(PROGRAMS);
    let mut counts = support::Counts::default();
    for seed in 0..programs {
        let decide = engine::induction::decide_without_unwinding;
        counts.add(support::compare_by(decide, seed, &random(seed), properties, &support::numbers()));
    }
    assert!(counts.safe >= programs / 10 && counts.violated == 0, "{counts:?}");
}

/// A program over arrays that are too long to be kept element by element.
fn random(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut one_of = |choices: &[&str]| choices[random.below(choices.len())].to_string();
    let bounds = ["70", "70", "70", "n", "n", "69", "n + 1"];
    let values = ["0", "7", "i", "2 * i", "b[i]", "a[i]", "b[i] + 1", "a[69 - i]", "m"];
    let conditions = ["", "", "", "if (i != m) ", "if (i < m) ", "if (b[i] > 0) "];
    let (mut loops, mut last) = (String::new(), String::from("0"));
    for _ in 0..2 {
        let (array, value, bound) = (one_of(&["a", "b"]), one_of(&values), one_of(&bounds));
        let (start, condition) = (one_of(&["0", "0", "0", "1"]), one_of(&conditions));
        let index = one_of(&["i", "i", "i", "i", "69 - i"]);
        loops += &format!("    for (i = {start}; i < {bound}; i++) {{ {condition}{array}[{index}] = {value}; }}\n");
        last = format!("{array}[i] == {value}");
    }
    let (bound, condition) = (one_of(&bounds), one_of(&conditions));
    let asserted = match random.below(3) {
        0 => String::from("a[i] >= 0"),
        1 => String::from("a[i] == b[i]"),
        _ => last,
    };
    format!(
        "int __VERIFIER_nondet_int(void);\nint a[70], b[70];\nint main(void) {{\n    int i;\n    \
         int n = __VERIFIER_nondet_int() & 15;\n    int m = __VERIFIER_nondet_int() & 15;\n{loops}    \
         for (i = 0; i < {bound}; i++) {{\n        {condition}{{\n            //@ assert {asserted};\n        }}\n    }}\n    \
         return 0;\n}}\n"
    )
}
