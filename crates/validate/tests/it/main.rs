//! Validation of whole witnesses against whole programs.

mod agree;
mod contracts;
mod conversions;
mod doubts;
mod edits;
mod figures;
mod fuzz;
mod proof;
mod random;
mod waypoints;

use base::{Budget, SourceMap};
use cfa::{DataModel, Program, PropertySet, Task};
use std::time::Duration;
use validate::{Validation, WitnessTask};
use witness::{Limits, Witness};

/// Validates a witness of a file of the map.
fn ask(witness: &Witness, sources: &SourceMap, file: &str, program: &Program, properties: PropertySet) -> Validation {
    ask_within(&Budget::for_duration(Duration::from_secs(5)), witness, sources, file, program, properties)
}

fn ask_within(
    budget: &Budget,
    witness: &Witness,
    sources: &SourceMap,
    file: &str,
    program: &Program,
    properties: PropertySet,
) -> Validation {
    let entry = program.function_named("main").expect("the program has a main");
    let witness_task = WitnessTask { witness, sources, file, task: Task { program, entry, properties }, budget };
    validate::statics::validate(&witness_task)
}

/// The validation of a witness, given as text, for a program, given as text.
fn validation(witness: &str, program: &str) -> Validation {
    let witness = witness::parse(witness.as_bytes(), &Limits::default()).expect("the witness can be read");
    let (sources, compiled) = testkit::compile(program.as_bytes(), DataModel::Ilp32);
    assert!(!compiled.has_errors(), "{:?}", compiled.diagnostics);
    let properties = PropertySet::of(&[cfa::Property::UnreachCall]);
    ask(&witness, &sources, "test.c", &compiled.program, properties)
}
