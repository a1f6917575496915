//! What the localizers answer, checked again by other code: the defining conditions of every error invariant, of every contradiction and of every
//! diagnosis, with formulas that are put together here and a solver that knows nothing yet; what is said in C, by the interpreter.

#![allow(clippy::print_stderr, reason = "a test says how much it checked")]

mod cores;
mod diagnoses;
mod formula;
mod invariants;
#[path = "../oracles/mod.rs"]
mod oracles;
mod repairs;
mod spoken;
mod tricky;

use cfa::interp::{self, Config, ListInputs, Outcome, ProgramArgs};
use cfa::{Bits, DataModel, Property, PropertySet};
use explain::repair::{AssertionReached, Repair};
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
    Some(Example {
        name: format!("seed {seed}\n{text}"),
        sources,
        spectrum: Default::default(),
        compiled,
        entry: "main".into(),
        inputs,
    })
}

const ORACLES: &[oracles::Oracle] = &[
    oracles::X_ZERO,
    oracles::Y_ZERO,
    oracles::LOCKING,
    oracles::ABSOLUTE,
    oracles::COMPUTE_DIFF,
    oracles::MISSING_CHECK,
    oracles::ASSERTION_FLAG,
    tricky::EITHER_WAY,
    tricky::BIT_FIELD,
    tricky::OLD_INDEX,
    tricky::SHADOWED,
    tricky::LATE_INPUT,
    tricky::OVERLAPPING,
    tricky::RECURSIVE,
    tricky::ERROR_CALL,
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
    (0..30 * scale()).filter_map(random_example).for_each(|example| invariants::check(&example, &mut counts));
    assert!(counts.runs as u64 >= 6 * scale() && counts.spoken.evaluations > 0 && counts.reached > 0, "{counts:?}");
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

#[test]
fn repairs_of_the_worked_examples() {
    let mut counts = repairs::Counts::default();
    ORACLES.iter().for_each(|oracle| repairs::check(&Example::new(oracle), Some(3), &[], &mut counts));
    assert!(counts.repairs > 4, "{counts:?}");
}

#[test]
fn repairs_of_random_programs() {
    let inputs: Vec<Vec<Bits>> = programs::all_inputs().collect();
    let mut counts = repairs::Counts::default();
    (0..15 * scale())
        .filter_map(random_example)
        .for_each(|example| repairs::check(&example, Some(4), &inputs, &mut counts));
    assert!(counts.complete > 0, "{counts:?}");
    eprintln!("{counts:?}");
}

/// With 300 for 10 the assertion holds because it is never evaluated: no repair.
#[test]
fn what_skips_the_assertion_is_no_repair() {
    let oracle = oracles::Oracle {
        text: "void skip(unsigned char n) {
  int limit = 300;
  if (n > 10) {
    //@ assert limit < 300;
  }
}
",
        entry: "skip",
        inputs: &[200],
    };
    let found = repairs::repairs(&Example::new(&oracle), None);
    let lines: Vec<u32> = found.iter().map(|repair| repair.line.line).collect();
    assert!(lines.contains(&2) && !lines.contains(&3), "{found:?}");
}

/// Nor is another condition for the call of the error function.
#[test]
fn what_edits_the_judge_is_no_repair() {
    let oracle = oracles::Oracle {
        text: "void reach_error(void);
void judge(unsigned char n) {
  int x = n & 1;
  if (x != 0)
    reach_error();
}
",
        entry: "judge",
        inputs: &[1],
    };
    let found = repairs::repairs(&Example::new(&oracle), None);
    let lines: Vec<u32> = found.iter().map(|repair| repair.line.line).collect();
    assert!(lines.contains(&3) && !lines.contains(&4), "{found:?}");
}

/// Nor a weaker assertion: not in the body of a loop when the line of the loop is edited, and not in the call of a function that asserts.
#[test]
fn what_asks_for_less_is_no_repair() {
    let looping = oracles::Oracle {
        text: "void sum(unsigned char n) {
  int x = 1;
  for (int i = 0; i < 3; i++) {
    x = x + (n & 3);
    //@ assert x <= 9;
  }
}
",
        entry: "sum",
        inputs: &[3],
    };
    let calling = oracles::Oracle {
        text: "void reach_error(void);
void check(int c) { if (!c) reach_error(); }
void twice(unsigned char n) {
  int x = n + n + 1;
  check(x <= 2 * n);
}
",
        entry: "twice",
        inputs: &[3],
    };
    for (oracle, fault, asserting) in [(looping, 4, "x <= 9"), (calling, 4, "check(")] {
        let found = repairs::repairs(&Example::new(&oracle), None);
        assert!(found.iter().any(|repair| repair.line.line == fault), "{found:?}");
        assert!(
            found.iter().all(|repair| !repair.hunks.iter().any(|hunk| hunk.before.contains(asserting))),
            "{found:?}"
        );
    }
}

/// The loop of a test that becomes shorter asks less often.
#[test]
fn a_shorter_test_is_the_worse_repair() {
    let oracle = oracles::Oracle {
        text: "void count(unsigned char n) {
  int x = 0;
  for (int i = 0; i < 4; i++) {
    x = x + (n & 3);
    //@ assert x <= 6;
  }
}
",
        entry: "count",
        inputs: &[3],
    };
    let found = repairs::repairs(&Example::new(&oracle), None);
    let shorter = |repair: &&Repair| repair.line.line == 3 && repair.edit.what.ends_with("instead of 4");
    assert!(found.iter().filter(shorter).all(|repair| repair.assertion == AssertionReached::LessOften), "{found:?}");
    assert!(found.iter().any(|repair| repair.assertion == AssertionReached::AsBefore), "{found:?}");
    assert!(found.is_sorted_by_key(|repair| repair.assertion));
}

#[test]
fn diagnoses_of_the_worked_examples() {
    let mut counts = diagnoses::Counts::default();
    let straight =
        ORACLES.iter().filter(|oracle| oracle.text.starts_with("void") || oracle.text.starts_with("int abs"));
    straight.for_each(|oracle| diagnoses::check(&Example::new(oracle), &mut counts));
    assert!(counts.confirmed > counts.runs && counts.refuted > counts.undecided, "{counts:?}");
}

#[test]
fn diagnoses_of_random_programs() {
    let mut counts = diagnoses::Counts::default();
    (0..60 * scale()).filter_map(random_example).for_each(|example| diagnoses::check(&example, &mut counts));
    assert!(counts.confirmed > counts.undecided && counts.refuted > 0, "{counts:?}");
    eprintln!("{counts:?}");
}
