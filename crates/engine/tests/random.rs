//! Bounded model checking against enumeration: small random programs with a few four-bit inputs. Whatever the engine calls violated was
//! replayed already; what it calls safe must be safe on every input, and what enumeration finds violated it must not call safe.

mod support;

use cfa::{Property, PropertySet};
use testkit::{programs, recursive};

const PROGRAMS: u64 = 40;

#[test]
fn engine_and_enumeration_agree() {
    let properties = PropertySet::of(&[Property::Assertion]);
    let programs = support::scaled(PROGRAMS);
    let mut counts = support::Counts::default();
    for seed in 0..programs {
        counts.add(support::compare(seed, &programs::random(seed), properties, &support::numbers()));
    }
    assert!(counts.safe >= programs / 10 && counts.violated >= programs / 10, "{counts:?}");
}

/// Engines that prove only; with every loop cut, more than with loops unwound that constants end.
#[test]
fn provers_and_enumeration_agree() {
    let properties = PropertySet::of(&[Property::Assertion]);
    // What is not proved takes all of its time.
    let programs = support::scaled(PROGRAMS / 4);
    for decide in [
        engine::induction::decide,
        engine::induction::decide_without_unwinding,
        engine::cegar::decide_predicates,
        engine::cegar::decide_values,
        engine::traces::decide,
    ] {
        let mut counts = support::Counts::default();
        for seed in 0..programs {
            let text = programs::random(seed);
            counts.add(support::compare_by(decide, seed, &text, properties, &support::numbers()));
        }
        assert!(counts.safe >= programs / 10 && counts.violated == 0, "{counts:?}");
    }
}

/// Inputs that are tried prove nothing, and find most violations of programs with few inputs.
#[test]
fn what_is_found_by_trying_inputs_is_violated() {
    let properties = PropertySet::of(&[Property::Assertion]);
    let programs = support::scaled(PROGRAMS / 4);
    let decide = engine::engine("fuzz").expect("in the table").decide;
    let mut counts = support::Counts::default();
    for seed in 0..programs {
        counts.add(support::compare_by(decide, seed, &programs::random(seed), properties, &support::numbers()));
    }
    assert!(counts.violated >= programs / 10 && counts.safe == 0, "{counts:?}");
}

/// The same with recursion, which contracts prove: other runs than those within a depth are never looked at.
#[test]
fn contracts_and_enumeration_agree() {
    let asked = [
        PropertySet::of(&[Property::Assertion]),
        PropertySet::of(&[Property::Assertion, Property::ValidDeref, Property::ValidFree]),
        PropertySet::of(&[Property::ValidMemcleanup]),
        PropertySet::of(&[Property::Assertion, Property::ValidMemtrack]),
    ];
    let programs = support::scaled(PROGRAMS / 4);
    for decide in [engine::induction::decide, engine::induction::decide_without_unwinding] {
        let mut counts = support::Counts::default();
        for seed in 0..programs {
            let text = recursive::random(seed);
            let properties = asked[seed as usize % asked.len()];
            counts.add(support::compare_by(decide, seed, &text, properties, &support::numbers()));
        }
        assert!(counts.safe >= programs / 10 && counts.violated == 0, "{counts:?}");
    }
}
