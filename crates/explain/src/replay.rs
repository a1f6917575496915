//! From given inputs to a run of the interpreter that is known to fail.

use crate::Failure;
use crate::minimize::cycles::CycleCounter;
use cfa::interp::{self, Config, Event, Inputs, Observer, Outcome, ProgramArgs, Run, View};
use cfa::{Bits, EdgeId, Property, PropertySet, Task};
use evidence::{Measure, Tape, TapeRecorder};
use std::ops::Range;

/// Longer runs are given up.
const MAX_STEPS: u64 = 2_000_000_000;

const MAX_PREFIX_STEPS: u64 = 100_000;

/// What a run costs, by any objective.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Costs {
    pub measure: Measure,
    /// Inputs that are not zero.
    pub inputs: u64,
    /// Calls of functions of the program.
    pub calls: u64,
    /// Inputs of floating-point type.
    pub floats: u64,
    /// Iterations of the cycle of a reactive program, and inputs that are not what they were one iteration before.
    pub cycles: u64,
    pub changes: u64,
}

/// Counts everything in one run.
struct AllCosts {
    costs: Costs,
    cycle: CycleCounter,
}

impl Observer for AllCosts {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        self.cycle.step(view, event);
        self.costs.step(view, event);
    }
}

impl Observer for Costs {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        self.measure.count(view.program(), &event);
        match event {
            Event::Input(input) => {
                self.inputs += (input.bits != Bits::ZERO) as u64;
                self.floats += input.request.ty.float_kind().is_some() as u64;
            }
            Event::Enter { edge: Some(_), .. } => self.calls += 1,
            Event::Enter { edge: None, .. } | Event::Edge { .. } | Event::Leave { .. } => {}
        }
    }
}

fn config(properties: PropertySet) -> Config {
    Config { properties, max_steps: MAX_STEPS, ..Config::default() }
}

/// For the beginning of a run that need not end, nor ask for an input.
fn prefix_config(properties: PropertySet) -> Config {
    Config { max_steps: MAX_PREFIX_STEPS, ..config(properties) }
}

/// The beginning of a run that inputs lead to, and what it was given.
pub fn recorded_prefix(task: Task<'_>, args: ProgramArgs, inputs: &mut dyn Inputs) -> (Run, Tape) {
    let (run, mut tape) = recorded_within(task, &prefix_config(task.properties), args, inputs);
    tape.is_prefix = true;
    (run, tape)
}

/// The run that inputs lead to, and what it was given.
pub fn recorded(task: Task<'_>, args: ProgramArgs, inputs: &mut dyn Inputs) -> (Run, Tape) {
    recorded_within(task, &config(task.properties), args, inputs)
}

fn recorded_within(task: Task<'_>, config: &Config, args: ProgramArgs, inputs: &mut dyn Inputs) -> (Run, Tape) {
    let mut recorder = TapeRecorder::new(args.clone(), inputs);
    let run = interp::run(task.program, task.entry, &args, &mut recorder, config);
    (run, recorder.tape)
}

/// The failure that inputs lead to; otherwise how the run ends.
pub fn failure<'p>(task: Task<'p>, args: ProgramArgs, inputs: &mut dyn Inputs) -> Result<Failure<'p>, Outcome> {
    failure_within(MAX_STEPS, task, args, inputs)
}

/// The same, on a run of so many steps at most.
pub fn failure_within<'p>(
    max_steps: u64,
    task: Task<'p>,
    args: ProgramArgs,
    inputs: &mut dyn Inputs,
) -> Result<Failure<'p>, Outcome> {
    let config = Config { max_steps, ..config(task.properties) };
    let (run, tape) = recorded_within(task, &config, args, inputs);
    match (run.outcome, run.end) {
        (Outcome::Violation { property, fault }, end) => {
            let edge = end.unwrap_or(cfa::EdgeId(0));
            Ok(Failure { task, tape, property, fault, edge, steps: run.steps })
        }
        (outcome, _) => Err(outcome),
    }
}

/// The run of a tape.
pub fn observed(task: Task<'_>, tape: &Tape, observer: &mut dyn Observer) -> Run {
    observed_without(0..0, task, tape, observer)
}

/// The same, but the observer gets no events between these numbers of steps.
fn observed_without(unobserved: Range<u64>, task: Task<'_>, tape: &Tape, observer: &mut dyn Observer) -> Run {
    let config = if tape.is_prefix { prefix_config(task.properties) } else { config(task.properties) };
    let config = Config { unobserved, ..config };
    interp::run_observed(task.program, task.entry, &tape.args, &mut tape.play(), &config, observer)
}

impl Failure<'_> {
    pub fn costs(&self) -> Costs {
        let cycle = CycleCounter::new(self.task.program);
        let mut all = AllCosts { costs: Costs::default(), cycle };
        self.run_observed(&mut all);
        Costs { cycles: all.cycle.iterations, changes: all.cycle.changes, ..all.costs }
    }

    pub fn run_observed(&self, observer: &mut dyn Observer) -> Run {
        observed(self.task, &self.tape, observer)
    }

    /// The same, but the observer gets no events between these numbers of steps.
    pub fn run_observed_without(&self, unobserved: Range<u64>, observer: &mut dyn Observer) -> Run {
        observed_without(unobserved, self.task, &self.tape, observer)
    }

    /// How long the run is, and how large its values are.
    pub fn measure(&self) -> Measure {
        self.costs().measure
    }

    /// The same failure on other inputs; `None` if the run ends otherwise.
    pub fn with_inputs(&self, args: ProgramArgs, inputs: &mut dyn Inputs) -> Option<Self> {
        let other = failure(self.task, args, inputs).ok()?;
        self.is_at(other.property, other.edge).then_some(other)
    }

    /// Whether a violation is the same one. Which end of the program shows what was not freed makes no difference.
    pub fn is_at(&self, property: Property, edge: EdgeId) -> bool {
        property == self.property && (edge == self.edge || property.is_about_the_end())
    }
}
