//! The engine that tries: runs on chosen inputs, those that reached new edges kept and changed (grey-box fuzzing). It finds violations that are many
//! rounds deep, or that most runs have; it proves nothing.
//!
//! Invariant: a violation is reported only if the same inputs lead to it with objects placed differently, and if nothing in the program has an order of
//! evaluation that C leaves open.

use crate::run::looks_at_address;
use crate::{Answer, Options};
use base::Budget;
use candidates::Chooser;
use cfa::interp::{self, Config, Coverage, InputRequest, Inputs, Outcome, Placement, ProgramArgs, Runner};
use cfa::{Bits, EdgeId, ExprKind, Init, Program, Property, Task, eval};
use evidence::{Reason, Tape, TapeRecorder, Verdict, Violation};
use rustc_hash::FxHashSet;

/// Runs whose inputs are kept.
const KEPT_TAPES: usize = 1_000;
/// Constants of the program that are used as inputs.
const MAX_CONSTANTS: usize = 400;
/// Steps of a run: few at first; more after each round of runs.
const FIRST_STEPS: u64 = 20_000;
const LONG_STEPS: u64 = 500_000;
const MAX_STEPS: u64 = 30_000_000;
const RUNS_IN_A_ROUND: u32 = 400;
/// Beginning a run costs as much as so many steps.
const RUN_COST: u64 = 100;
const MAX_DEPTH: u32 = 20_000;
const MAX_MEMORY: u64 = 1 << 26;

pub fn decide(task: Task<'_>, _: &Options, budget: &Budget) -> Answer {
    decide_within(task, Effort { seed: 1, steps: u64::MAX }, budget)
}

/// Which inputs are tried, and how many steps all runs may have together.
#[derive(Clone, Copy)]
pub struct Effort {
    pub seed: u64,
    pub steps: u64,
}

pub fn decide_within(task: Task<'_>, effort: Effort, budget: &Budget) -> Answer {
    match search(task, effort, budget) {
        Some((violation, tape)) => answer(Verdict::Unsafe(violation.clone()), vec![(violation, tape)]),
        None => answer(Verdict::Unknown(Reason::Budget { bound: 0 }), Vec::new()),
    }
}

fn answer(verdict: Verdict, violations: Vec<(Violation, Tape)>) -> Answer {
    let complete = false;
    Answer { engine: "fuzz", verdict, bound: 0, violations, complete, explored: None, checks: Vec::new() }
}

/// A violation and the inputs that lead to it, if one is found before the budget ends.
fn search(task: Task<'_>, effort: Effort, budget: &Budget) -> Option<(Violation, Tape)> {
    let program = task.program;
    let takes_args = program.function_name(task.entry) == "main" && encode::reads_arguments(task);
    let outside = program.vars.values().any(|var| var.init == Init::Unknown);
    // What still points to an allocation may be a number.
    let hides_pointers = || program.exprs.ids().any(|expr| looks_at_address(program, expr));
    let may_hide = task.properties.contains(Property::ValidMemtrack) && hides_pointers();
    if takes_args || outside || may_hide || program.edges.values().any(|edge| edge.caveat.is_some()) {
        return None;
    }
    let constants = constants(program);
    let mut chooser = Chooser::new(effort.seed, &constants, KEPT_TAPES);
    let mut coverage = Coverage::of(program);
    let mut runner = Runner::new(program, task.entry, ProgramArgs::default());
    // What a shift by too much gives is open.
    let properties = task.properties.with(Property::ShiftRange);
    let mut max_steps = FIRST_STEPS;
    let mut left = effort.steps;
    for number in 0.. {
        if left == 0 || budget.expired() {
            return None;
        }
        if number % RUNS_IN_A_ROUND == RUNS_IN_A_ROUND - 1 {
            max_steps = (max_steps * 2).min(MAX_STEPS);
        }
        let budget = budget.clone();
        let (max_depth, max_memory) = (MAX_DEPTH, MAX_MEMORY);
        // Some runs go further, each of them twice as far as the one before.
        let max_steps = if number % 16 == 1 { LONG_STEPS << (number / 16).min(6) } else { max_steps };
        let max_steps = max_steps.min(MAX_STEPS).min(left);
        let config = Config { properties, max_steps, max_depth, max_memory, budget, ..Config::default() };
        chooser.begin(number);
        let mut values = Values { chooser: &mut chooser, program };
        let mut recorder = TapeRecorder::new(ProgramArgs::default(), &mut values);
        let run = runner.run_covered(&mut recorder, &config, &mut coverage);
        let tape = recorder.tape;
        if let Outcome::Violation { property, fault } = run.outcome
            && task.properties.contains(property)
            && is_violated_elsewhere(task, &tape, property)
        {
            let inputs = run.inputs.iter().map(|input| input.bits).collect();
            let violation = Violation { property, fault, edge: run.end.unwrap_or(EdgeId(0)), inputs };
            return Some((violation, tape));
        }
        let rejected = matches!(run.outcome, Outcome::AssumptionFailed | Outcome::Aborted);
        chooser.end(rejected, coverage.news, coverage.accepted, run.steps);
        left = left.saturating_sub(run.steps + RUN_COST);
        if chooser.asked_nothing() {
            // Without inputs every run is the same.
            return None;
        }
    }
    None
}

/// Whether the same inputs violate the property where objects are placed differently.
fn is_violated_elsewhere(task: Task<'_>, tape: &Tape, property: Property) -> bool {
    let config = Config { properties: task.properties, placement: Placement::Descending, ..Config::default() };
    let run = interp::run(task.program, task.entry, &tape.args, &mut tape.play(), &config);
    matches!(run.outcome, Outcome::Violation { property: other, .. } if other == property)
}

fn constants(program: &Program) -> Vec<i128> {
    let mut seen = FxHashSet::default();
    let ints = program.exprs.values().filter(|expr| expr.ty.int_kind().is_some());
    let values = ints.filter_map(|expr| match expr.kind {
        ExprKind::Const(bits) => Some(eval::to_i128(&program.types, expr.ty, bits)),
        _ => None,
    });
    values.filter(|value| seen.insert(*value)).take(MAX_CONSTANTS).collect()
}

/// The chooser's values. A pointer from outside cannot be chosen: the run ends there.
struct Values<'v, 'c> {
    chooser: &'v mut Chooser<'c>,
    program: &'v Program,
}

impl Inputs for Values<'_, '_> {
    fn next(&mut self, request: &InputRequest) -> Option<Bits> {
        if self.program.types.is_pointer(request.ty) {
            return None;
        }
        self.chooser.next(request)
    }

    fn fill(&mut self, request: &interp::FillRequest, bytes: &mut [u8]) {
        self.chooser.fill(request, bytes);
    }
}
