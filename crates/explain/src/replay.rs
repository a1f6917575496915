//! From inputs, whoever chose them, to a run of the interpreter that is known to fail.

use crate::Failure;
use cfa::interp::{self, Config, Event, Inputs, Observer, Outcome, ProgramArgs, View};
use cfa::{FuncId, Program, PropertySet};
use evidence::{Measure, Tape, TapeRecorder};

/// Longer runs are given up.
const MAX_STEPS: u64 = 200_000_000;

#[derive(Default)]
struct Meter(Measure);

impl Observer for Meter {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        self.0.count(view.program(), &event);
    }
}

fn config(properties: PropertySet) -> Config {
    Config { properties, max_steps: MAX_STEPS, ..Config::default() }
}

/// The failure that inputs lead to; otherwise how the run ends.
pub fn failure<'p>(
    program: &'p Program,
    entry: FuncId,
    properties: PropertySet,
    args: ProgramArgs,
    inputs: &mut dyn Inputs,
) -> Result<Failure<'p>, Outcome> {
    let mut recorder = TapeRecorder::new(args.clone(), inputs);
    let run = interp::run(program, entry, &args, &mut recorder, &config(properties));
    let tape = recorder.tape;
    match (run.outcome, run.end) {
        (Outcome::Violation { property, fault }, end) => {
            let edge = end.unwrap_or(cfa::EdgeId(0));
            Ok(Failure { program, entry, properties, tape, property, fault, edge })
        }
        (outcome, _) => Err(outcome),
    }
}

/// How long the run of a tape is, and how large its values are.
pub fn measure(program: &Program, entry: FuncId, properties: PropertySet, tape: &Tape) -> Measure {
    let mut meter = Meter::default();
    interp::run_observed(program, entry, &tape.args, &mut tape.play(), &config(properties), &mut meter);
    meter.0
}

impl Failure<'_> {
    pub fn measure(&self) -> Measure {
        measure(self.program, self.entry, self.properties, &self.tape)
    }

    /// The same failure on other inputs; `None` if the run ends otherwise.
    pub fn with_inputs(&self, args: ProgramArgs, inputs: &mut dyn Inputs) -> Option<Self> {
        let other = failure(self.program, self.entry, self.properties, args, inputs).ok()?;
        (other.edge == self.edge && other.property == self.property).then_some(other)
    }
}
