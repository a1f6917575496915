//! Random list programs: what the analysis of shapes proves, no run within bounds violates, and the proof passes its check.

use base::Budget;
use cfa::{DataModel, Property, PropertySet, Task};
use engine::{Options, engine};
use evidence::{Proof, Verdict};
use std::time::Duration;

const PROGRAMS: u64 = 12;
/// Lists of up to so many nodes.
const UNWIND: u32 = 3;

#[test]
fn shapes_agree_with_bounded_model_checking() {
    let (mut proved, mut violated) = (0, 0);
    for seed in 1000..1000 + PROGRAMS {
        let text = testkit::lists::random(seed);
        let (_, compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
        let program = &compiled.program;
        let entry = program.function_named("main").expect("a main");
        let properties = PropertySet::of(&[
            Property::UnreachCall,
            Property::ValidDeref,
            Property::ValidFree,
            Property::ValidMemtrack,
        ]);
        let task = Task { program, entry, properties };
        let decide = |name: &str, options: &Options| {
            let budget = Budget::for_duration(Duration::from_secs(20));
            (engine(name).expect("in the table").decide)(task, options, &budget).verdict
        };
        let by_shapes = decide("shapes", &Options::default());
        assert!(!matches!(by_shapes, Verdict::Unsafe(_)), "it proves only");
        let safe = matches!(by_shapes, Verdict::Safe(Proof::Shapes(_)));
        let bounded = decide("bmc", &Options { unwind: Some(UNWIND), ..Options::default() });
        let fails = matches!(bounded, Verdict::Unsafe(_));
        assert!(!(safe && fails), "seed {seed}\n{text}");
        proved += safe as u64;
        violated += fails as u64;
    }
    assert!(proved > 3 && violated > 1, "{proved} proved, {violated} violated");
}
