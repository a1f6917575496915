//! What evidence promises: a tape leads to the same run again, a trace is that run, and a verdict rests on what it names.

mod tapes;
mod traces;
mod verdicts;

use cfa::interp::{self, Config, FillRequest, InputRequest, Inputs, ProgramArgs, Run};
use cfa::{Bits, DataModel, FuncId, Program, Property, PropertySet};
use evidence::{Tape, TapeRecorder, Trace, TraceRecorder};
use testkit::random::Random;

fn compile(text: &str) -> (Program, FuncId) {
    let (_, compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
    assert!(!compiled.has_errors(), "{:?}\n{text}", compiled.diagnostics);
    let entry = compiled.program.function_named("main").expect("main");
    (compiled.program, entry)
}

fn config() -> Config {
    Config { properties: PropertySet::of(&[Property::Assertion]), max_steps: 5000, ..Config::default() }
}

/// Gives any value, also to uninitialized memory; after so many inputs nothing more.
struct Anything {
    random: Random,
    left: usize,
}

impl Inputs for Anything {
    fn next(&mut self, _: &InputRequest) -> Option<Bits> {
        self.left = self.left.checked_sub(1)?;
        Some(Bits::new(self.random.below(16) as u128))
    }

    fn fill(&mut self, _: &FillRequest, bytes: &mut [u8]) {
        bytes.fill_with(|| self.random.below(256) as u8);
    }
}

fn traced(program: &Program, entry: FuncId, inputs: &mut dyn Inputs, limit: usize) -> Trace {
    let mut recorder = TraceRecorder::new(limit);
    let args = ProgramArgs::default();
    let run = interp::run_observed(program, entry, &args, inputs, &config(), &mut recorder);
    recorder.finish(run, &args)
}

/// A run on anything, and its tape.
fn recorded(program: &Program, entry: FuncId, seed: u64, inputs: usize) -> (Trace, Tape) {
    let mut anything = Anything { random: Random::new(seed), left: inputs };
    let mut recorder = TapeRecorder::new(ProgramArgs::default(), &mut anything);
    let trace = traced(program, entry, &mut recorder, usize::MAX);
    (trace, recorder.tape)
}

/// What two runs have in common if they are the same one.
fn essence(run: &Run) -> (interp::Outcome, u64, Option<cfa::EdgeId>, Vec<Bits>) {
    (run.outcome, run.steps, run.end, run.inputs.iter().map(|input| input.bits).collect())
}
