//! Proofs about small list programs, proofs that were tampered with, and random list programs whose runs must be described by the proofs.

mod proofs;
mod runs;

use base::{Budget, SourceMap};
use cfa::{DataModel, Program, Property, PropertySet, Task};
use std::time::Duration;

pub fn compile(text: &str, model: DataModel) -> (SourceMap, Program) {
    let (sources, compiled) = testkit::compile(text.as_bytes(), model);
    assert!(!compiled.has_errors(), "{text}\n{:?}", compiled.diagnostics);
    (sources, compiled.program)
}

pub fn memory_safety() -> PropertySet {
    PropertySet::of(&[Property::ValidDeref, Property::ValidFree, Property::ValidMemtrack])
}

pub fn task(program: &Program, properties: PropertySet) -> Task<'_> {
    Task { program, entry: program.function_named("main").expect("a main"), properties }
}

pub fn budget() -> Budget {
    Budget::for_duration(Duration::from_secs(60))
}
