//! Bounded model checking against enumeration: small random programs with a few four-bit inputs. Whatever the engine calls violated was
//! replayed already; what it calls safe must be safe on every input, and what enumeration finds violated it must not call safe.

mod support;

use cfa::{Property, PropertySet};
use testkit::programs;

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
    ] {
        let mut counts = support::Counts::default();
        for seed in 0..programs {
            let text = programs::random(seed);
            counts.add(support::compare_by(decide, seed, &text, properties, &support::numbers()));
        }
        assert!(counts.safe >= programs / 10 && counts.violated == 0, "{counts:?}");
    }
}
