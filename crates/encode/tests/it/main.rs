//! The contracts of symbolic execution, checked without a solver: inputs give all terms their values ([`Unrolling::assignment`]), and what the terms
//! then say is what the interpreter does on these inputs.

mod agreement;
mod apart;
mod bounds;
mod edge_paths;
mod merging;
mod obligations;
mod way_back;

use base::Budget;
use cfa::interp::{self, Config, Event, ListInputs, Observer, ProgramArgs, Run, View};
use cfa::{Bits, DataModel, Program, Property, PropertySet, Task};
use encode::{Bounds, Encoder, Obligation, ObligationKind, Unrolling};
use logic::{Assignment, Evaluator, TermId};

/// A program that was executed symbolically from `main`.
struct Unrolled<'p> {
    task: Task<'p>,
    encoder: Encoder<'p>,
    unrolling: Unrolling,
}

fn compile(text: &str) -> Program {
    let (_, compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
    assert!(!compiled.has_errors(), "{:?}\n{text}", compiled.diagnostics);
    compiled.program
}

fn unroll<'p>(program: &'p Program, unwind: u32, properties: &[Property]) -> Unrolled<'p> {
    unroll_with(program, unwind, properties, false)
}

/// The same, where states with different positions in their data may be kept apart.
fn unroll_with<'p>(program: &'p Program, unwind: u32, properties: &[Property], keeps_apart: bool) -> Unrolled<'p> {
    let properties = PropertySet::of(properties);
    let entry = program.function_named("main").expect("main");
    let task = Task { program, entry, properties };
    let mut encoder = Encoder::new(task);
    encoder.record_events = true;
    encoder.keeps_apart = keeps_apart;
    let bounds = Bounds { unwind, decided: 0, steps: 100_000 };
    let unrolling = encoder.unroll(bounds, &Budget::unlimited());
    assert!(!unrolling.interrupted);
    Unrolled { task, encoder, unrolling }
}

/// What the terms of an unrolling are for given inputs.
struct Values<'u, 'p> {
    unrolled: &'u Unrolled<'p>,
    assignment: Assignment,
    evaluator: std::cell::RefCell<Evaluator>,
}

impl<'p> Unrolled<'p> {
    fn on(&self, inputs: &[Bits]) -> Values<'_, 'p> {
        let mut list = ListInputs::then_zero(inputs.to_vec());
        let args = ProgramArgs::default();
        let assignment = self.unrolling.assignment(self.task.program, &self.encoder.pool, &args, &mut list);
        Values { unrolled: self, assignment, evaluator: Default::default() }
    }

    /// The run of the interpreter on the same inputs.
    fn run(&self, inputs: &[Bits]) -> Run {
        self.run_observed(inputs, &mut Unobserved)
    }

    fn run_observed(&self, inputs: &[Bits], observer: &mut dyn Observer) -> Run {
        let config = Config { properties: self.task.properties, max_steps: 3000, ..Config::default() };
        let mut list = ListInputs::then_zero(inputs.to_vec());
        interp::run_observed(self.task.program, self.task.entry, &ProgramArgs::default(), &mut list, &config, observer)
    }
}

struct Unobserved;

impl Observer for Unobserved {
    fn step(&mut self, _: &View<'_, '_>, _: Event<'_>) {}
}

impl Values<'_, '_> {
    fn holds(&self, term: TermId) -> bool {
        let pool = &self.unrolled.encoder.pool;
        self.evaluator.borrow_mut().eval(pool, &self.assignment, term).as_bool().expect("a Boolean")
    }

    fn number(&self, term: TermId) -> u128 {
        let pool = &self.unrolled.encoder.pool;
        self.evaluator.borrow_mut().scalar(pool, &self.assignment, term).to_u128().expect("at most 128 bits")
    }

    /// The ways in which the run leaves the model: obligations whose condition holds. What C leaves open ends no run.
    fn left_by(&self) -> Vec<&Obligation> {
        let ends = |found: &&Obligation| !matches!(found.kind, ObligationKind::LeftOpen(_)) && self.holds(found.cond);
        self.unrolled.unrolling.obligations.iter().filter(ends).collect()
    }

    fn ends_regularly(&self) -> usize {
        let unrolling = &self.unrolled.unrolling;
        unrolling.ends.iter().chain(&unrolling.aborts).filter(|end| self.holds(**end)).count()
    }
}

/// Numbers as inputs.
fn inputs(values: &[u32]) -> Vec<Bits> {
    values.iter().map(|value| Bits::new(*value as u128)).collect()
}
