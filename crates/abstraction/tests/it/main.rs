//! Facts about whole programs: against runs of the interpreter, and against what is expected of small loops.

mod expected;
mod runs;

use base::Budget;
use cfa::undefined::UndefinedFunctions;
use cfa::{DataModel, ExprId, FuncId, LocId, Program};
use std::time::Duration;

fn compile(name: &str, text: &str, model: DataModel) -> (Program, FuncId) {
    let (_, mut compiled) = testkit::compile(text.as_bytes(), model);
    assert!(!compiled.has_errors(), "{name}: {:?}\n{text}", compiled.diagnostics);
    cfa::undefined::apply(&mut compiled.program, &compiled.outside, UndefinedFunctions::Havoc);
    let entry = compiled.program.function_named("main").expect("there is a main");
    (compiled.program, entry)
}

/// The facts of a program, which stays well-formed.
fn facts(program: &mut Program, entry: FuncId) -> Vec<(LocId, ExprId)> {
    let found = abstraction::loop_facts(program, entry, &Budget::for_duration(Duration::from_secs(20)));
    if let Err(broken) = cfa::verify::verify(program) {
        panic!("facts broke the program representation: {broken:#?}");
    }
    found
}
