//! Runs the program on chosen inputs and records the values of the terms at loop heads, calls and returns.

pub mod inputs;
mod observe;

use crate::SamplingOptions;
use crate::scope::{ClaimScope, Reachable};
use base::Budget;
use cfa::interp::{Config, Limit, Outcome, ProgramArgs, Runner};
use cfa::{Bits, FuncId, Program};
use inputs::Chooser;
use observe::Recorder;

/// Nested calls and bytes of a run: what needs more is not short.
const MAX_DEPTH: u32 = 2_000;
const MAX_MEMORY: u64 = 1 << 24;

/// Runs whose inputs are kept, to be changed and continued.
const KEPT_TAPES: usize = 48;

/// How many rejected runs count as one.
const REJECTED_FOR_ONE: u32 = 8;

/// One visit of a loop head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The value of each term of the scope.
    pub values: Vec<Bits>,
    /// The first run that made it.
    pub run: u32,
    /// How often it was recorded.
    pub visits: u32,
}

/// The recorded states of a loop head, all different.
#[derive(Clone, Default, Debug)]
pub struct Samples {
    pub samples: Vec<Sample>,
    /// Terms whose value could not be read at some visit.
    pub unreadable: Vec<bool>,
}

impl Samples {
    pub fn states(&self) -> impl Iterator<Item = &[Bits]> {
        self.samples.iter().map(|sample| &sample.values[..])
    }

    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }
}

/// The recorded states of each scope.
pub fn collect(
    program: &Program,
    entry: FuncId,
    reachable: &Reachable,
    scopes: &[ClaimScope],
    budget: &Budget,
    options: &SamplingOptions,
) -> Vec<Samples> {
    let mut recorder = Recorder::new(program, scopes, options);
    let mut chooser = Chooser::new(options.seed, &reachable.constants, KEPT_TAPES);
    let mut runner = Runner::new(program, entry, ProgramArgs::default());
    // Compiling an edge costs less than carrying it out under observation.
    let mut left = options.total_steps.saturating_sub(reachable.edges(program) / 4);
    // A run that its assumptions reject counts less: it is short, and the next ones may do better.
    let mut credit = options.runs * REJECTED_FOR_ONE;
    for run in 0.. {
        if left == 0 || credit == 0 || budget.expired() {
            break;
        }
        // Some runs go further, to get behind loops with many rounds. Without inputs there is only one run that can.
        let steps = match run % 8 {
            1 if chooser.asked_nothing() => left,
            1 => options.steps * 4,
            _ => options.steps,
        };
        let config = Config {
            max_steps: steps.min(left.max(1)),
            max_memory: MAX_MEMORY,
            max_depth: MAX_DEPTH,
            ..Config::default()
        };
        recorder.begin(run);
        chooser.begin(run);
        let done = runner.run_observed(&mut chooser, &config, &mut recorder);
        let news = recorder.end();
        // `if (!cond) abort();` is an assumption too.
        let rejected = done.outcome == Outcome::AssumptionFailed || !recorder.visited();
        let unfinished = done.outcome == Outcome::Limit(Limit::Steps);
        chooser.end(rejected, news, recorder.accepted(), done.steps);
        credit = credit.saturating_sub(if rejected && news.is_none() { 1 } else { REJECTED_FOR_ONE });
        left = left.saturating_sub(done.steps + chooser.filled() / 64);
        if chooser.asked_nothing() && !(run == 0 && unfinished) {
            // Without inputs every run is the same.
            break;
        }
    }
    recorder.finish()
}
