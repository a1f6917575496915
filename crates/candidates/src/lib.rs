//! Layer 2: candidates for loop invariants and for contracts of recursive functions. In goes a program with its entry function, out come conditions that may
//! hold whenever a run is at a loop head, or whenever a function is called or returns. They are guesses: each has to be proved where it is used.
//!
//! The program is run on a number of inputs (`sample`), and the values of the variables that matter (`scope`, `contract`) are recorded at each loop head and
//! call. Each of the [`SOURCES`] then proposes conditions that are true of all records of a head. Conditions are built by `build`, taken
//! from the text by `import`, and evaluated on the records by `evaluate`.
//!
//! *Invariants:* a candidate is true in every recorded state; its arithmetic cannot overflow in C's sense, for any values; equal
//! arguments give equal candidates, unless the budget ends early.

mod assigned;
pub mod build;
mod contract;
mod effects;
mod evaluate;
mod import;
mod liveness;
mod sample;
mod scope;
mod sources;

pub use sample::inputs::Chooser;
pub use sources::{SOURCES, Source};

use base::Budget;
use build::Builder;
use cfa::{Anchor, ExprId, FuncId, Program};
use rustc_hash::FxHashSet;
use sources::Context;

/// A condition that may hold whenever a run is at a loop head, before the edges that leave it, or whenever a recursive function is called or returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Candidate {
    pub anchor: Anchor,
    /// A scalar integer that was added to the program; 0 means false.
    pub expr: ExprId,
    /// The name of the source that proposed it.
    pub origin: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SamplingOptions {
    /// Of the inputs' generator.
    pub seed: u64,
    /// How many runs there are at most.
    pub runs: u32,
    /// Edges of one run.
    pub steps: u64,
    /// Edges of all runs together. Compiling the functions, and memory that is not initialized, count too.
    pub total_steps: u64,
    /// Recorded states of one loop head.
    pub samples: usize,
    /// Candidates of one loop head.
    pub candidates: usize,
}

impl Default for SamplingOptions {
    fn default() -> Self {
        SamplingOptions { seed: 1, runs: 400, steps: 20_000, total_steps: 600_000, samples: 240, candidates: 240 }
    }
}

/// Candidates for each loop and each recursive function that can be reached from `entry`; the expressions are added to the program.
pub fn propose(program: &mut Program, entry: FuncId, budget: &Budget, options: &SamplingOptions) -> Vec<Candidate> {
    let mut builder = Builder::new(program);
    let reachable = scope::Reachable::from(&mut builder, entry);
    let assigned = assigned::Assigned::of(&mut builder, &reachable, entry);
    let mut scopes = scope::scopes(&mut builder, &reachable, &assigned, budget);
    scopes.extend(contract::scopes(&mut builder, &reachable, &assigned));
    if scopes.is_empty() {
        return Vec::new();
    }
    let samples = sample::collect(builder.program(), entry, &reachable, &scopes, budget, options);
    let mut found = Vec::new();
    for (scope, samples) in scopes.iter().zip(&samples) {
        let mut seen = FxHashSet::default();
        let mut lists: Vec<Vec<Candidate>> = Vec::new();
        let program = builder.program();
        let kept = contract::kept_by_returns(program, scope, &found).into_iter().filter(|expr| seen.insert(*expr));
        let true_ones = kept.filter(|expr| evaluate::holds(program, scope, samples, *expr));
        lists.push(true_ones.map(|expr| Candidate { anchor: scope.anchor, expr, origin: CALLS }).collect());
        for source in SOURCES {
            if budget.expired() {
                return found;
            }
            let mut context = Context::new(&mut builder, scope, samples);
            (source.propose)(&mut context);
            let proposed = context.proposed();
            let program = builder.program();
            let new = proposed.into_iter().filter(|expr| seen.insert(*expr));
            let true_ones = new.filter(|expr| evaluate::holds(program, scope, samples, *expr));
            lists.push(true_ones.map(|expr| Candidate { anchor: scope.anchor, expr, origin: source.name }).collect());
        }
        found.extend(chosen(lists, options.candidates));
    }
    found
}

/// The origin of conditions on returning that are conditions on calls.
const CALLS: &str = "calls";

/// At most so many candidates, in the order of the sources. No source takes more than a third while another one has candidates left.
fn chosen(lists: Vec<Vec<Candidate>>, limit: usize) -> impl Iterator<Item = Candidate> {
    let mut left = limit;
    let mut shares = vec![0; lists.len()];
    for share in [limit / 3, limit] {
        for (taken, list) in shares.iter_mut().zip(&lists) {
            let more = share.min(list.len()).saturating_sub(*taken).min(left);
            *taken += more;
            left -= more;
        }
    }
    lists.into_iter().zip(shares).flat_map(|(list, share)| list.into_iter().take(share))
}
