//! What the localizers answer, checked again by other code: the defining conditions of every error invariant, of every contradiction and of every
//! diagnosis, with formulas that are put together here and a solver that knows nothing yet; what is said in C, by the interpreter.

mod cores;
mod formula;
mod invariants;
#[path = "../oracles/mod.rs"]
mod oracles;
mod spoken;

use cfa::interp::{self, Config, ListInputs, Outcome, ProgramArgs};
use cfa::{DataModel, Property, PropertySet};
use oracles::Example;
use testkit::programs;

fn scale() -> u64 {
    std::env::var("WHYDUNIT_FUZZ_SCALE").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// A random program that fails on some inputs, one in a hundred of them tried.
fn random_example(seed: u64) -> Option<Example> {
    let text = programs::random(seed);
    let model = if seed.is_multiple_of(2) { DataModel::Lp64 } else { DataModel::Ilp32 };
    let (sources, compiled) = testkit::compile(text.as_bytes(), model);
    let program = &compiled.program;
    let entry = program.function_named("main").expect("main");
    let config = Config { properties: PropertySet::of(&[Property::Assertion]), max_steps: 3000, ..Config::default() };
    let fails = |values: &Vec<cfa::Bits>| {
        let mut inputs = ListInputs::new(values.clone());
        let run = interp::run(program, entry, &ProgramArgs::default(), &mut inputs, &config);
        matches!(run.outcome, Outcome::Violation { .. })
    };
    let inputs = programs::all_inputs().step_by(101).find(fails)?;
    Some(Example { name: format!("seed {seed}\n{text}"), sources, compiled, entry: "main".into(), inputs })
}

const ORACLES: &[oracles::Oracle] = &[
    oracles::X_ZERO,
    oracles::Y_ZERO,
    oracles::LOCKING,
    oracles::ABSOLUTE,
    oracles::COMPUTE_DIFF,
    oracles::MISSING_CHECK,
    oracles::ASSERTION_FLAG,
    oracles::EITHER_WAY,
];

#[test]
fn invariants_of_the_worked_examples() {
    let mut counts = invariants::Counts::default();
    ORACLES.iter().for_each(|oracle| invariants::check(&Example::new(oracle), &mut counts));
    assert!(counts.runs == ORACLES.len() as u32 && counts.spoken.evaluations > 0, "{counts:?}");
}

#[test]
fn invariants_of_random_programs() {
    let mut counts = invariants::Counts::default();
    (0..60 * scale()).filter_map(random_example).for_each(|example| invariants::check(&example, &mut counts));
    assert!(counts.runs as u64 >= 12 * scale() && counts.spoken.evaluations > 0 && counts.reached > 0, "{counts:?}");
    eprintln!("{counts:?}");
}

#[test]
fn contradictions_of_the_worked_examples() {
    let mut counts = cores::Counts::default();
    ORACLES.iter().for_each(|oracle| cores::check(&Example::new(oracle), &mut counts));
    assert!(counts.rounds > counts.runs, "{counts:?}");
}

#[test]
fn contradictions_of_random_programs() {
    let mut counts = cores::Counts::default();
    (0..60 * scale()).filter_map(random_example).for_each(|example| cores::check(&example, &mut counts));
    assert!(counts.runs as u64 >= 12 * scale(), "{counts:?}");
    eprintln!("{counts:?}");
}
