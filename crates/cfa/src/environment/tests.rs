//! What the changes for an environment do to small programs, in the interpreter.

use super::*;
use crate::interp::{self, Config, ListInputs, Outcome, ProgramArgs};
use crate::text::{parse, print};
use crate::{Bits, Op, Property, PropertySet};

/// The textual form keeps a changed program.
fn assert_round_trip(program: &Program) {
    let text = print(program);
    let parsed = parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    assert_eq!(print(&parsed), text);
}

#[test]
fn random_programs_stay_valid() {
    for seed in 0..60 {
        let mut program = crate::testing::random_program(seed);
        // `apply` verifies in development builds.
        apply(
            &mut program,
            Environment { allocation_fails: true, output_fails: true, stack_limit: Some(1000), one_row: true },
        );
        crate::verify::verify(&program).unwrap_or_else(|broken| panic!("seed {seed}: {broken:#?}"));
        let checks =
            program.edges.values().filter(|edge| matches!(edge.op, Op::Assert { property: Property::StackLimit, .. }));
        let defined = program.functions.ids().filter(|function| program.automaton(*function).is_some());
        assert_eq!(checks.count(), defined.count(), "seed {seed}");
    }
}

#[test]
fn a_limit_is_met_exactly() {
    let program = parse(include_str!("../../../../tests/ir/calls.cfa")).expect("it is checked by other tests");
    let entry = program.function_named("main").expect("main");
    let outcome = |limit: u64| {
        let mut program = program.clone();
        apply(&mut program, Environment { stack_limit: Some(limit), ..Environment::default() });
        assert_round_trip(&program);
        let properties = PropertySet::of(&[Property::StackLimit]);
        let config = Config { properties, ..Config::default() };
        let mut inputs = ListInputs::then_zero(vec![Bits::ZERO; 4]);
        interp::run(&program, entry, &ProgramArgs::default(), &mut inputs, &config).outcome
    };
    let exceeded = |outcome| matches!(outcome, Outcome::Violation { property: Property::StackLimit, .. });
    assert!(exceeded(outcome(0)));
    assert!(!exceeded(outcome(1 << 20)));
}
